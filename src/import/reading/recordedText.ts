import { parse } from 'yaml';
import { messageOf } from '../../core/text.js';
import type { ProblemSink } from './entries.js';
import { isTextChat } from './textChat.js';
import { cutData, isEventStream, serverEvents } from './serverEvents.js';
import type { Fields } from './fields.js';

/** A piece of what Claude Code shows in a terminal: who speaks, or what a tool gave. */
export interface ConsolePiece {
  readonly kind: 'head' | 'prompt' | 'said' | 'given';
  /** The mark at its beginning and the text behind it, as they stand in the file; the head has no mark. */
  readonly mark: string;
  readonly lines: readonly string[];
}

const MARKS: readonly (readonly [kind: ConsolePiece['kind'], mark: RegExp])[] = [
  ['prompt', /^[>❯] (?=.)/],
  ['said', /^[⏺●] /],
  ['given', /^ {1,4}⎿ {1,3}/],
];

/** Whether a text is what Claude Code's `/export` writes, or what was copied from its terminal. */
export function isConsoleText(text: string): boolean {
  const isShown = (mark: RegExp) => text.split('\n').some((line) => mark.test(line));
  return isShown(/^[>❯] \S/) && isShown(/^[⏺●] \S/);
}

/** The pieces of such a text, in their order; together they hold every line of it. */
export function consolePieces(text: string): ConsolePiece[] {
  const pieces: { kind: ConsolePiece['kind']; mark: string; lines: string[] }[] = [];
  for (const line of text.split(/\r?\n/)) {
    const found = MARKS.map(([kind, mark]) => ({ kind, mark: mark.exec(line)?.[0] })).find(
      (each) => each.mark,
    );
    if (found?.mark !== undefined)
      pieces.push({ kind: found.kind, mark: found.mark, lines: [line.slice(found.mark.length)] });
    else if (pieces.length === 0) pieces.push({ kind: 'head', mark: '', lines: [line] });
    else pieces.at(-1)?.lines.push(line);
  }
  return pieces;
}

/** How an entry of CrewAI's log as a text begins. */
const START = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d: (?:task_name="|task=")/;

/** Whether a text is CrewAI's log of tasks. */
function isCrewText(text: string): boolean {
  return START.test(text.trimStart()) && /, agent="[^"]*", status="/.test(text);
}

/** The entries of CrewAI's log as a text, with the keys that its log as JSON has; what is none is given as it is. */
function crewEntries(text: string): readonly (Fields | string)[] {
  const pieces = text.split(/^(?=\d{4}-\d\d-\d\d \d\d:\d\d:\d\d: (?:task_name="|task="))/m);
  return pieces.flatMap((piece) => (piece.trim() === '' ? [] : [entryIn(piece.trim()) ?? piece.trim()]));
}

/** The fields in the order in which CrewAI writes them, with the one that each begins behind. */
const FIELDS = [
  ['task_name', ': task_name="'],
  ['task', 'task="'],
  ['agent', '", agent="'],
  ['status', '", status="'],
  ['output', '", output="'],
] as const;

/** An entry; its texts stand between quotes without escapes, so each ends where the next field begins. */
function entryIn(piece: string): Fields | undefined {
  const entry: Record<string, unknown> = { timestamp: piece.slice(0, 19) };
  let last: string | undefined;
  let from = 0;
  if (!piece.endsWith('"')) return undefined;
  for (const [name, mark] of FIELDS) {
    const at = piece.indexOf(mark, from);
    if (at < 0) continue;
    if (last !== undefined)
      entry[last] = piece.slice(from, at).replace(last === 'task_name' ? /", $/ : '', '');
    [last, from] = [name, at + mark.length];
  }
  if (last !== undefined) entry[last] = piece.slice(from, -1);
  return typeof entry.task === 'string' && entry.agent !== undefined && entry.status !== undefined
    ? entry
    : undefined;
}

/** How much of a file tells that it is a recording in a text format, in bytes. */
const HEAD_BYTES = 64 * 1024;

/**
 * The value of a file that records traffic as text: a stream of server-sent events as the list of its events, a VCR
 * cassette in YAML as its object, CrewAI's log as the list of its entries, a history of chats as the text that it is. Undefined for any other file, and for a cassette that cannot be parsed, which is reported.
 */
export function recordedText(bytes: Uint8Array, sink: ProblemSink): { readonly value: unknown } | undefined {
  const head = decode(bytes.subarray(0, HEAD_BYTES));
  if (isEventStream(head)) {
    const text = decode(bytes);
    const events = serverEvents(text);
    if (events.length > 0 && cutData(text) !== undefined)
      sink.problem(
        'error',
        'The stream breaks off in the middle of what was being said; what stands before was read.',
      );
    return events.length > 0 ? { value: events } : undefined;
  }
  if (isCrewText(head)) return { value: crewEntries(decode(bytes)) };
  if (isTextHistory(head)) return { value: decode(bytes) };
  if (
    !/^(?:---\s*\n)?(?:#[^\n]*\n)*(?:(?:http_)?interactions:\s*\n|version:[^\n]*\ninteractions:)/.test(head)
  )
    return undefined;
  try {
    // Cassettes repeat long bodies by reference, but never many times.
    return { value: parse(decode(bytes), { maxAliasCount: 1000 }) as unknown };
  } catch (error) {
    sink.problem('error', `This looks like a cassette in YAML, but cannot be read: ${messageOf(error)}`);
    return undefined;
  }
}

/** Whether a text is a history of chats that a tool writes as a text, and that a format reads: Aider's, chats as Markdown. */
function isTextHistory(head: string): boolean {
  if (/^\s*[[{]/.test(head)) return false;
  return (
    isConsoleText(head) ||
    isTextChat(head) ||
    isCrewText(head) ||
    /^\s*(?:# aider chat started at |(?:TO LLM|LLM RESPONSE) \d{4}-)/.test(head)
  );
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}
