import type { FileHandle } from 'node:fs/promises';
import { beginningOfZstd } from '../../import/reading/zstd.js';
import { LINE_FEED } from '../../node/lines.js';
import { openPlainFile, READ } from '../../node/plainFile.js';
import { type ToolId, toolHome } from '../../import/toolHomes.js';
import { isObject } from '../../core/message.js';
import { promptTitle } from '../../core/promptTitle.js';
import { fields, type SessionEnd, type SessionHint } from '../../import/tools/hint.js';
import {
  LifeReader,
  signOfEnd,
  type ContextFill,
  type Life,
  type QuotaReading,
} from '../../import/tools/life.js';

/** The longest title, in code points. */
const MAX_TITLE = 80;

/** What a value of a tool's session tells; nothing where it is of no shape that is known. */
export function hintOf(tool: ToolId, value: unknown): SessionHint {
  return (isObject(value) ? toolHome(tool).hintOf?.(value) : undefined) ?? {};
}

/** The values of a file that is one JSON text: of the session itself and of each of its messages. */
function valuesIn(tool: ToolId, whole: unknown): readonly unknown[] {
  if (Array.isArray(whole)) return whole;
  const inside = fields(whole)[toolHome(tool).messagesIn ?? 'messages'];
  return [whole, ...(Array.isArray(inside) ? (inside as unknown[]) : [])];
}

/** The title that a prompt makes, as a panel shows it; undefined where it makes none. */
function titleOf(prompt: string | undefined): string | undefined {
  return promptTitle(prompt ?? '', MAX_TITLE);
}

/** How much of the beginning and of the end of a session is read, in bytes. */
const HEAD_BYTES = 64 * 1024;
const TAIL_BYTES = 64 * 1024;
/** How long its last line may be, which may hold a result, in bytes. */
const MAX_TAIL = 4 * 1024 * 1024;
/** How long its first line may be, which may hold instructions, in bytes. */
const MAX_HEAD = 512 * 1024;
/** The longest session in one JSON text that is read, in bytes. */
const MAX_WHOLE = 4 * 1024 * 1024;
/** How much of a packed session is unpacked, and of how much, in bytes. */
const MAX_UNPACKED = 32 * 1024 * 1024;
const MAX_PACKED = 4 * 1024 * 1024;

/** What the beginning and the end of a session tell of it, without reading what stands between. */
export interface SessionAbout {
  /** What the tool itself calls it, where the file says it. */
  readonly id?: string | undefined;
  /** '' where nothing gives one. */
  readonly title: string;
  /** The folder in which it was held; undefined where it does not say. */
  readonly workspace: string | undefined;
  /** What its agent is called; undefined where it does not say. */
  readonly agent: string | undefined;
  /** The model that answered last; undefined where it does not say. */
  readonly model: string | undefined;
  /** The number of messages; undefined where it cannot be told. */
  readonly messages: number | undefined;
  /** Whether that is an estimate from the parts that were read. */
  readonly isEstimated: boolean;
  /** What its last word is; undefined where that cannot be told. */
  readonly end: SessionEnd | undefined;
  /** What its end says of what it does; undefined where it says nothing of it. */
  readonly life?: Life | undefined;
  /** How full the context of its last request was, where that is told. */
  readonly context?: ContextFill | undefined;
  /** The last reading of each limit of the person's plan that it tells. */
  readonly quotas?: readonly QuotaReading[];
}

/** What is known of a session that tells nothing. */
const NOTHING: SessionAbout = {
  title: '',
  workspace: undefined,
  agent: undefined,
  model: undefined,
  messages: undefined,
  isEstimated: false,
  end: undefined,
};

/**
 * Reads what the beginning and the end of a session's file tell of it, and those of the last of its `parts`, where it consists of
 * several. Rejects where it is no plain file or cannot be read; what of it cannot be understood tells nothing.
 */
export async function aboutSession(
  tool: ToolId,
  path: string,
  parts: readonly string[] = [path],
): Promise<SessionAbout> {
  if (!LINES.test(path)) {
    const file = await opened(path);
    try {
      const isRead = file.size <= MAX_WHOLE;
      return isRead ? aboutWhole(tool, (await file.read(0, file.size)).toString('utf8')) : NOTHING;
    } finally {
      await file.close();
    }
  }
  const [first, last = path] = [path, parts.at(-1)];
  const ends = [await endsOf(first), ...(last === first ? [] : [await endsOf(last)])];
  const size = ends.reduce((sum, each) => sum + each.size, 0);
  const read = ends.reduce((sum, each) => sum + each.read, 0);
  const isAll = read >= size && parts.length <= ends.length;
  const lines = ends.flatMap((each) => each.lines);
  return aboutOf(tool, lines, isAll ? 1 : size / read);
}

/** What stands at both ends of a file of lines, how long it is and how much was read of it, in bytes. */
async function endsOf(path: string) {
  const file = await opened(path);
  try {
    const { size } = file;
    const head = await headOf(file);
    let from = Math.max(head.length, size - TAIL_BYTES);
    let tail = from < size ? await file.read(from, size - from) : Buffer.alloc(0);
    // Of a last line that is longer nothing would be seen.
    if (from > head.length && !tail.subarray(0, -1).includes(LINE_FEED)) {
      from = Math.max(head.length, size - MAX_TAIL);
      tail = await file.read(from, size - from);
    }
    const lines =
      from === head.length
        ? linesIn(Buffer.concat([head, tail]))
        : // What is cut at the end of the one and at the beginning of the other is left out.
          [...linesIn(head.subarray(0, head.lastIndexOf(LINE_FEED) + 1)), ...linesIn(afterFirstLine(tail))];
    return { lines, size: file.isCut ? Number.POSITIVE_INFINITY : size, read: head.length + tail.length };
  } finally {
    await file.close();
  }
}

/** The folder that the beginning of a session names; undefined where it names none. Rejects like `aboutSession`. */
export async function workspaceOfSession(tool: ToolId, path: string): Promise<string | undefined> {
  // Cline's command line says so in a file beside the session's.
  const beside = path.replace(/\.messages\.json$/, '.json');
  const told = beside === path ? undefined : await workspaceOfSession(tool, beside).catch(() => undefined);
  if (told !== undefined) return told;
  const file = await opened(path);
  try {
    const head = (await file.read(0, Math.min(file.size, WORKSPACE_BYTES))).toString('utf8');
    const [, named] = WORKSPACE.exec(head) ?? [];
    if (named !== undefined) return parsed(`"${named}"`) as string | undefined;
  } finally {
    await file.close();
  }
  return (await aboutSession(tool, path)).workspace;
}

/** Files of lines, packed or not. */
const LINES = /\.jsonl(?:\.zst)?$/;

/** What a file holds. */
interface Opened {
  /** How much there is to be read, in bytes. */
  readonly size: number;
  /** Whether it holds more. */
  readonly isCut: boolean;
  read(from: number, length: number): Promise<Buffer>;
  close(): Promise<void>;
}

/** Opens a plain file; of what is packed, the beginning is unpacked at once. */
async function opened(path: string): Promise<Opened> {
  const file = await openPlainFile(path, READ);
  const close = () => file.close();
  try {
    const { size } = await file.stat();
    if (!path.endsWith('.zst'))
      return { size, isCut: false, read: (from, length) => bytesAt(file, from, length), close };
    const packed = await bytesAt(file, 0, Math.min(size, MAX_PACKED));
    const { bytes, isCut } = beginningOfZstd(packed, MAX_UNPACKED);
    const read = (from: number, length: number) =>
      Promise.resolve(
        Buffer.from(bytes.buffer, bytes.byteOffset + from, Math.min(length, bytes.length - from)),
      );
    return { size: bytes.length, isCut: isCut || size > MAX_PACKED, read, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Where sessions name their folder, and how far from their beginning. */
const WORKSPACE = /"(?:cwd|directory)"\s*:\s*"((?:[^"\\]|\\.)+)"/;
const WORKSPACE_BYTES = 8 * 1024;

/** The beginning of a file with at least its first line, unless that is very long. */
async function headOf(file: Opened): Promise<Buffer> {
  const { size } = file;
  const head = await file.read(0, Math.min(size, HEAD_BYTES));
  return head.includes(LINE_FEED) ? head : file.read(0, Math.min(size, MAX_HEAD));
}

async function bytesAt(file: FileHandle, from: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  let read = 0;
  while (read < length) {
    const { bytesRead } = await file.read(bytes, read, length - read, from + read);
    if (bytesRead === 0) break;
    read += bytesRead;
  }
  return bytes.subarray(0, read);
}

function afterFirstLine(bytes: Buffer): Buffer {
  const end = bytes.indexOf(LINE_FEED);
  return end < 0 ? Buffer.alloc(0) : bytes.subarray(end + 1);
}

function linesIn(bytes: Buffer): unknown[] {
  return bytes
    .toString('utf8')
    .split('\n')
    .flatMap((line) => (line.trim() === '' ? [] : [parsed(line)]));
}

function aboutWhole(tool: ToolId, text: string): SessionAbout {
  const whole = parsed(text.replace(/^\uFEFF/, ''));
  return aboutOf(tool, valuesIn(tool, whole), 1);
}

/** Of text that is no JSON, or is cut, nothing. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** `share` is how many times the values that were read the whole is. */
function aboutOf(tool: ToolId, values: readonly unknown[], share: number): SessionAbout {
  const hints: readonly SessionHint[] = values.map((value) => hintOf(tool, value));
  const first = <K extends keyof SessionHint>(key: K) => hints.find((hint) => hint[key] !== undefined)?.[key];
  const last = <K extends keyof SessionHint>(key: K) =>
    hints.findLast((hint) => hint[key] !== undefined)?.[key];
  const prompt = hints.map((hint) => titleOf(hint.prompt)).find((title) => title !== undefined);
  const messages = messagesIn(hints);
  const id = first('id');
  const quotas = lastQuotas(hints);
  return {
    ...(id !== undefined && { id }),
    title: titleOf(last('named') ?? last('made') ?? first('summary')) ?? prompt ?? '',
    workspace: first('workspace'),
    agent: last('agent'),
    model: last('model'),
    messages: messages === 0 || !Number.isFinite(share) ? undefined : Math.round(messages * share),
    isEstimated: share > 1 || hints.some(({ isUncertain }) => isUncertain === true),
    end: last('end'),
    life: lifeOf(values, hints),
    context: last('context'),
    ...(quotas.length > 0 && { quotas }),
  };
}

/** What some values say together of what the session does. */
function lifeOf(values: readonly unknown[], hints: readonly SessionHint[]): Life | undefined {
  const reader = new LifeReader();
  for (const [at, { life, end }] of hints.entries()) {
    const time = life || end ? timeOf(values[at]) : undefined;
    const signs = life ?? (end === undefined ? [] : [signOfEnd(end)]);
    for (const sign of signs) reader.take(time === undefined ? sign : { at: time, ...sign });
  }
  return reader.life;
}

/** When a value was written, in milliseconds since 1970, as far as it says so. */
function timeOf(value: unknown): number | undefined {
  const { timestamp, ts } = fields(value);
  const told = typeof timestamp === 'string' ? Date.parse(timestamp) : (timestamp ?? ts);
  return typeof told === 'number' && Number.isFinite(told) ? told : undefined;
}

/** The last reading of each limit, which is told apart by its window, too. */
function lastQuotas(hints: readonly SessionHint[]): readonly QuotaReading[] {
  const found = new Map<string, QuotaReading>();
  for (const { quotas = [] } of hints)
    for (const quota of quotas) found.set(`${quota.limit} ${quota.minutes}`, quota);
  return [...found.values()];
}

/** The messages of some values; those of one message count once. */
function messagesIn(hints: readonly SessionHint[]): number {
  const seen = new Set<string>();
  let count = 0;
  for (const { messages = 0, message } of hints) {
    if (message !== undefined && seen.has(message)) continue;
    if (message !== undefined) seen.add(message);
    count += messages;
  }
  return count;
}
