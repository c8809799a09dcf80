import { hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { APPEND, entryAt, openPlainFile, READ } from '../../node/plainFile.js';

/** How many bytes are copied at a time. */
const COPY_BYTES = 1024 * 1024;

/** `displaced`: the path leads elsewhere or nowhere; `shrunk`: only `size` bytes are left of what was written. */
export type FileCondition =
  | { readonly kind: 'whole' }
  | { readonly kind: 'displaced' }
  | { readonly kind: 'shrunk'; readonly size: number };

/**
 * A journal file with an open descriptor, to which lines are appended.
 * Its holder must be its only writer.
 */
export class SegmentFile {
  readonly #handle: FileHandle;
  readonly #path: string;
  /** The end of the last batch that was written completely. */
  #size: number;
  /** Whether bytes of a failed batch may still follow `#size`. */
  #isIncomplete = false;

  constructor(handle: FileHandle, path: string, size: number) {
    this.#handle = handle;
    this.#path = path;
    this.#size = size;
  }

  get size(): number {
    return this.#size;
  }

  /** Appends all of the bytes (by one write, if the system takes them at once) or none, and then throws. */
  async append(bytes: Uint8Array): Promise<void> {
    if (this.#isIncomplete) await this.#cutBack();
    this.#isIncomplete = true;
    let written = 0;
    try {
      while (written < bytes.length) {
        written += (await this.#handle.write(bytes, written, bytes.length - written, null)).bytesWritten;
      }
    } catch (error) {
      // A failed truncation is retried before the next append; the first error tells what is wrong.
      await this.#cutBack().catch(() => undefined);
      throw error;
    }
    this.#isIncomplete = false;
    this.#size += bytes.length;
  }

  /** Resolves when everything appended so far survives a power cut. */
  async sync(): Promise<void> {
    await this.#handle.datasync();
  }

  /** What others have done to the file. */
  async condition(): Promise<FileCondition> {
    const size = this.#size;
    const [there, held] = await Promise.all([entryAt(this.#path), this.#handle.stat()]);
    if (there?.ino !== held.ino || there.dev !== held.dev) return { kind: 'displaced' };
    return held.size < size ? { kind: 'shrunk', size: held.size } : { kind: 'whole' };
  }

  /** How many bytes are left where others have cut off what was written; undefined where nothing is missing. */
  async shrunkTo(): Promise<number | undefined> {
    const { size } = await this.#handle.stat();
    return size < this.#size ? size : undefined;
  }

  /** Passes everything written so far to `take`, piece by piece, even when the file has been deleted. */
  async copyTo(take: (bytes: Uint8Array) => Promise<void>): Promise<void> {
    const buffer = Buffer.allocUnsafe(Math.min(COPY_BYTES, Math.max(1, this.#size)));
    for (let at = 0; at < this.#size;) {
      const { bytesRead } = await this.#handle.read(buffer, 0, Math.min(buffer.length, this.#size - at), at);
      if (bytesRead === 0) return;
      await take(buffer.subarray(0, bytesRead));
      at += bytesRead;
    }
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  async #cutBack(): Promise<void> {
    // A file that others have cut must not be filled up with NUL bytes.
    if ((await this.#handle.stat()).size > this.#size) await this.#handle.truncate(this.#size);
    this.#isIncomplete = false;
  }
}

/** A link is a SHA-256 in base64url, which has so many characters. */
const LINK = 43;
/** So much of the end of a seal is read to go on with it, in bytes. */
const TAIL_BYTES = 64 * 1024;
/** After so many entries at the latest is marked how far a seal tells of its segment. */
const MARK_EVERY = 200;
const NEWLINE = 0x0a;

/** The path of the seal of a segment. */
export function sealOf(segment: string): string {
  return segment.replace(/jsonl$/, 'seal');
}

/** A segment with a link of its seal. */
export interface SealedEnd {
  readonly segment: number;
  readonly chain: string;
}

/** The first two lines of a segment's seal; `after`: the segment before it, with the last link of its seal. */
export function sealHead(conversation: string, segment: number, after?: SealedEnd): string {
  const before = after ? `after ${after.segment} ${after.chain}` : 'after nothing';
  return `agent-logbook seal 1 ${segment} ${JSON.stringify(conversation)}\n${before}\n`;
}

/** What a line is hashed with: the link before and a newline stand before it, here. */
let scratch = Buffer.alloc(64 * 1024);

/** The link of a line to what stands before it: the hash of the link before and of the line. */
function linkOf(link: string, bytes: Buffer, from: number, end: number): string {
  const length = LINK + 1 + end - from;
  if (scratch.length < length) scratch = Buffer.alloc(2 * length);
  scratch.write(link, 0, 'latin1');
  scratch[LINK] = NEWLINE;
  bytes.copy(scratch, LINK + 1, from, end);
  return hash('sha256', scratch.subarray(0, length), 'base64url');
}

/** The same of a note in a seal, which no line passes for. */
function linkOfNote(link: string, text: string): string {
  return hash('sha256', `${link} note ${text}`, 'base64url');
}

/** Entries of a seal that are to be written, with the link of the last. */
export interface SealEntries {
  readonly text: string;
  readonly link: string;
}

/**
 * The seal of a segment: a file beside it with an entry for each of its lines, which is chained to the entry before. Lines are hashed as
 * they are written and sealed once they survive a power cut, so that a seal never tells of more than there is. To be used by the only
 * writer of the segment.
 */
export class Seal {
  readonly #path: string;
  #link: string;
  /** How far the segment is hashed, in bytes. */
  #offset: number;
  /** The size of the seal as it was last written whole. */
  #size: number;
  #written: string | undefined;
  #waiting: string[] = [];
  #unmarked = 0;

  private constructor(
    path: string,
    link: string,
    { offset, size }: { readonly offset: number; readonly size: number },
  ) {
    this.#path = path;
    this.#link = link;
    this.#offset = offset;
    this.#size = size;
  }

  /** Begins the seal of a new segment. */
  static begin(path: string, head: string): Seal {
    const seal = new Seal(path, hash('sha256', head, 'base64url'), { offset: 0, size: 0 });
    seal.#waiting.push(head);
    return seal;
  }

  /**
   * Goes on with the seal of a segment that another process has left, and seals what was written behind it, which is noted; undefined
   * where there is none, or where the segment is not what it tells of.
   */
  static async resume(path: string, segment: string, notes: readonly string[]): Promise<Seal | undefined> {
    const end = await endOfSeal(path);
    if (!end) return undefined;
    const handle = await openPlainFile(segment, READ);
    try {
      const { size } = await handle.stat();
      if (size < end.offset) return undefined;
      const rest = Buffer.alloc(size - end.offset);
      const { bytesRead } = await handle.read(rest, 0, rest.length, end.offset);
      const late = rest.subarray(0, rest.lastIndexOf(NEWLINE, bytesRead - 1) + 1);
      const seal = new Seal(path, end.link, end);
      seal.#written = end.link;
      const count = late.reduce((sum, byte) => sum + (byte === NEWLINE ? 1 : 0), 0);
      for (const note of [...notes, ...(count > 0 ? [`sealed later: ${count}`] : [])]) seal.#note(note);
      seal.add(late);
      return seal;
    } finally {
      await handle.close();
    }
  }

  /** The last link that is written, for the segment that comes next; undefined where none is. */
  get chain(): string | undefined {
    return this.#written;
  }

  /** Hashes lines that were appended to the segment, each with its newline. */
  add(lines: Uint8Array): void {
    const bytes = Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength);
    let text = '';
    for (let from = 0, end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, from)) {
      this.#link = linkOf(this.#link, bytes, from, end);
      text += `${this.#link}\n`;
      from = end + 1;
      if (++this.#unmarked < MARK_EVERY && from < bytes.length) continue;
      text += `at ${this.#offset + from}\n`;
      this.#unmarked = 0;
    }
    this.#waiting.push(text);
    this.#offset += bytes.length;
  }

  /** Takes what was hashed so far, to be written once the segment is synced. */
  take(): SealEntries {
    const taken = { text: this.#waiting.join(''), link: this.#link };
    this.#waiting = [];
    return taken;
  }

  /** Writes what was taken. Rejects with errors of the file system; then it is written with the next. */
  async write({ text, link }: SealEntries): Promise<void> {
    if (text === '') return;
    try {
      const handle = await openPlainFile(this.#path, APPEND);
      try {
        // What a write that failed has left, or another segment of this name.
        if ((await handle.stat()).size > this.#size) await handle.truncate(this.#size);
        await handle.writeFile(text);
      } finally {
        await handle.close();
      }
    } catch (error) {
      this.#waiting.unshift(text);
      throw error;
    }
    this.#size += Buffer.byteLength(text);
    this.#written = link;
  }

  #note(text: string): void {
    this.#link = linkOfNote(this.#link, text);
    this.#waiting.push(`${this.#link} note ${text}\n`);
  }
}

interface SealEnd {
  readonly link: string;
  /** How far it tells of its segment, in bytes, and its own size. */
  readonly offset: number;
  readonly size: number;
}

/** The last mark of a seal with the link before it; what stands behind it, which was not written whole, is cut off. */
async function endOfSeal(path: string): Promise<SealEnd | undefined> {
  if (!(await entryAt(path))) return undefined;
  const handle = await openPlainFile(path, APPEND);
  try {
    const { size } = await handle.stat();
    const start = Math.max(0, size - TAIL_BYTES);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - start), 0, size - start, start);
    const tail = buffer.toString('latin1', 0, bytesRead);
    const [mark] = [...tail.matchAll(/\n([\w-]{43})[^\n]*\nat (\d+)\n/g)].slice(-1);
    if (!mark) return undefined;
    const end = start + mark.index + mark[0].length;
    if (end < size) await handle.truncate(end);
    return { link: mark[1] ?? '', offset: Number(mark[2]), size: end };
  } finally {
    await handle.close();
  }
}

/** What is wrong with a line of a segment or with an entry of its seal. */
export interface SealBreak {
  readonly kind: 'changed' | 'removed' | 'inserted' | 'moved' | 'seal';
  /** The number of the line in its file, from 1: of one that is removed, where it stood. */
  readonly line: number;
  readonly count: number;
  /** The seq of the first record that is meant, where there is one. */
  readonly seq?: number;
}

/** What a seal proves of a segment. */
export interface SealCheck {
  readonly segment: number;
  /** Whether there is a seal at all. */
  readonly isSealed: boolean;
  readonly lines: number;
  /** How many entries the seal has, and how many lines stand behind those that it tells of. */
  readonly entries: number;
  readonly unsealed: number;
  readonly breaks: readonly SealBreak[];
  /** What the writers noted: lines that were sealed later, what a repair cut off. */
  readonly notes: readonly string[];
  /** The segment that it follows. */
  readonly after?: SealedEnd;
  /** All links, in order, each for as many lines as there are before. */
  readonly chains: readonly string[];
}

/** An entry of a seal as it is read, with the link before. */
interface Entry {
  readonly before: string;
  readonly link: string;
}

/** How far is looked for the line that an entry is of. */
const REACH = 200;

/** Checks the lines of a segment by its seal. */
export function checkSeal(
  conversation: string,
  segment: number,
  journal: Buffer,
  seal: string | undefined,
): SealCheck {
  const lines: Buffer[] = [];
  for (
    let from = 0, end = journal.indexOf(NEWLINE);
    end >= 0;
    from = end + 1, end = journal.indexOf(NEWLINE, from)
  )
    lines.push(journal.subarray(from, end));
  const partial = journal.length > 0 && journal.at(-1) !== NEWLINE ? 1 : 0;
  const whole = seal === undefined ? '' : wholeLines(seal);
  if (whole.split('\n').length < 3)
    return {
      segment,
      isSealed: false,
      lines: lines.length,
      entries: 0,
      unsealed: lines.length,
      breaks: [],
      notes: [],
      chains: [],
    };
  const read = entriesOf(conversation, segment, whole);
  const { entries, notes, after } = read;
  const found = compared(lines, entries);
  const seqOf = (at: number) => seqIn(lines[at]);
  const breaks = [...read.breaks, ...found.breaks].map((each) => {
    const seq = each.kind === 'removed' || each.kind === 'seal' ? undefined : seqOf(each.line - 1);
    return { ...each, ...(seq !== undefined && { seq }) };
  });
  return {
    segment,
    isSealed: true,
    lines: lines.length,
    entries: entries.length,
    unsealed: found.unsealed + partial,
    breaks,
    notes,
    ...(after && { after }),
    chains: entries.map(({ link }) => link),
  };
}

/** The lines of a seal that are there: a power cut leaves zeros, or a part of a line, where the last were being written. */
function wholeLines(seal: string): string {
  const zeros = seal.indexOf('\0');
  const written = zeros < 0 ? seal : seal.slice(0, zeros);
  return written.slice(0, written.lastIndexOf('\n') + 1);
}

function entriesOf(conversation: string, segment: number, seal: string) {
  const [first = '', second = '', ...rest] = seal.split('\n');
  const entries: Entry[] = [];
  const notes: string[] = [];
  const breaks: SealBreak[] = [];
  const isWrong = (at: number) => breaks.push({ kind: 'seal', line: at, count: 1 });
  const [, from, last = ''] = /^after (\d+) ([\w-]{43})$/.exec(second) ?? [];
  const after = from === undefined ? undefined : { segment: Number(from), chain: last };
  const head = sealHead(conversation, segment, after);
  if (`${first}\n${second}\n` !== head) isWrong(1);
  let link = hash('sha256', head, 'base64url');
  for (const [at, line] of rest.entries()) {
    const [, told, note] = /^([\w-]{43})(?: note (.*))?$/.exec(line) ?? [];
    if (told === undefined) {
      if (line !== '' && !/^at \d+$/.test(line)) isWrong(at + 3);
      continue;
    }
    if (note === undefined) entries.push({ before: link, link: told });
    else if (linkOfNote(link, note) === told) notes.push(note);
    else isWrong(at + 3);
    link = told;
  }
  return { entries, notes, breaks, after };
}

/** Which lines are not those of the entries, in order, and how many stand behind the last entry. */
function compared(lines: readonly Buffer[], entries: readonly Entry[]) {
  const breaks: SealBreak[] = [];
  const isOf = (entry: number, line: number) => {
    const [told, bytes] = [entries[entry], lines[line]];
    return (
      told !== undefined && bytes !== undefined && linkOf(told.before, bytes, 0, bytes.length) === told.link
    );
  };
  let [entry, line] = [0, 0];
  const put: number[] = [];
  const gone: number[] = [];
  while (entry < entries.length && line < lines.length) {
    if (isOf(entry, line)) {
      [entry, line] = [entry + 1, line + 1];
      continue;
    }
    const step = stepOver(isOf, entry, line);
    for (let at = 0; at < step.lines && at < step.entries; at++)
      breaks.push({ kind: 'changed', line: line + at + 1, count: 1 });
    for (let at = step.entries; at < step.lines; at++) put.push(line + at);
    for (let at = step.lines; at < step.entries; at++) gone.push(entry + at);
    [entry, line] = [entry + step.entries, line + step.lines];
  }
  for (; entry < entries.length; entry++) gone.push(entry);
  const tail = lines.length - line;
  const moved = new Set<number>();
  for (const at of put) {
    const from = gone.find((each) => !moved.has(each) && isOf(each, at));
    if (from !== undefined) moved.add(from);
    breaks.push({ kind: from === undefined ? 'inserted' : 'moved', line: at + 1, count: 1 });
  }
  for (const at of gone) if (!moved.has(at)) breaks.push({ kind: 'removed', line: at + 1, count: 1 });
  return { breaks: breaks.sort((one, two) => one.line - two.line), unsealed: tail };
}

/** How many entries and lines are passed over until an entry is of a line again. */
function stepOver(isOf: (entry: number, line: number) => boolean, entry: number, line: number) {
  for (let far = 1; far <= REACH; far++) {
    if (isOf(entry + far, line + far)) return { entries: far, lines: far };
    if (isOf(entry, line + far)) return { entries: 0, lines: far };
    if (isOf(entry + far, line)) return { entries: far, lines: 0 };
  }
  return { entries: 1, lines: 1 };
}

function seqIn(line: Buffer | undefined): number | undefined {
  const [, seq] = /"seq":(\d{1,15})[,}]/.exec(line?.toString('latin1', 0, 200) ?? '') ?? [];
  return seq === undefined ? undefined : Number(seq);
}
