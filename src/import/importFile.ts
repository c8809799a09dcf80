import { createReadStream, closeSync, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, relative } from 'node:path';
import { appendAll } from '../core/lists.js';
import { valuesInDatabase } from './sessionDatabases.js';
import type { CachedValues } from './databases/cachedValues.js';
import type { SessionValues } from './databases/toolDatabase.js';
import type { ImportResult } from './reading/importResult.js';
import { checkOptions, type KnownOptions } from '../core/checkOptions.js';
import { entryNow } from '../node/plainFile.js';
import { DatabaseError } from '../node/sqlite/databaseReader.js';
import { HELD_FILE_BYTES, wholePart } from './reading/fileEntries.js';
import { isBlank, ONLY_BLANK } from './reading/fragments.js';
import { depthOf } from './reading/jsonBytes.js';
import { MAX_NESTING, sizeWords } from './reading/nesting.js';
import { MAX_TRANSCRIPT_BYTES, unpackedOnDisk } from './reading/readBytes.js';
import { readLarge, type ImportPart, type LargeOptions, type OpenedImport } from './readLarge.js';
import { importOptionKinds, importTranscript, importValues, type ImportOptions } from './importTranscript.js';
import { tools } from './tools.js';
import { atMost, headOf, type KnownParents, type SidecarPaths, type Tool } from './tools/tool.js';

/** How much of the beginning, and of the end, of a file is looked at, in bytes. */
const LOOK_BYTES = 64 * 1024;

/** A shorter file is read, whatever stands in it, in bytes. */
const SHORT_BYTES = 1024 * 1024;

/** From which share on characters that no text has make a file none, in its first look. */
const MAX_BROKEN = 0.2;
const MAX_CONTROLS = 0.03;

/** What packed files, databases and texts in other encodings than UTF-8 begin with. */
const MARKS = ['1f8b', '28b52ffd', '504b', '53514c697465', 'fffe', 'feff'];

/** What a long file is told that holds no text. */
export const NO_TEXT = 'It is no text, as far as its first 64 KiB tell; nothing else of it was read.';

/** What one is told that begins with more lists and objects in each other than a transcript has. */
const TOO_DEEP = `It nests deeper than ${MAX_NESTING} levels; nothing else of it was read.`;

const LINE_FEED = 0x0a;

/**
 * Why a long file is none that a reader takes, by a look at its first 64 KiB: bytes of anything, nothing but zeros and blanks at
 * both ends, as of a file whose writing was cut off by a crash, or brackets in brackets; undefined for any other. Throws errors of the
 * file system.
 */
function whyNoText(path: string): string | undefined {
  const file = openSync(path, 'r');
  try {
    const about = fstatSync(file);
    if (!about.isFile() || about.size < SHORT_BYTES) return undefined;
    const head = lookAt(file, 0);
    if (MARKS.some((mark) => head.toString('hex', 0, 8).startsWith(mark))) return undefined;
    const tail = () => lookAt(file, about.size - LOOK_BYTES);
    if (head.every(isBlank)) {
      if (!tail().every(isBlank)) return undefined;
      return head.includes(0) ? NO_TEXT : ONLY_BLANK;
    }
    // One value that begins with more brackets than any transcript has in each other.
    if (!head.includes(LINE_FEED) && depthOf(head) > MAX_NESTING && !tail().includes(LINE_FEED))
      return TOO_DEEP;
    const text = head.toString('utf8');
    const broken = text.split('\ufffd').length - 1;
    const controls = head.filter(
      (byte) => byte > 0 && byte < 32 && (byte < 9 || byte > 13) && byte !== 0x1e && byte !== 0x1b,
    );
    const isBroken = broken / text.length > MAX_BROKEN && controls.length / head.length > MAX_CONTROLS;
    return isBroken ? NO_TEXT : undefined;
  } finally {
    closeSync(file);
  }
}

function lookAt(file: number, position: number): Buffer {
  const bytes = Buffer.alloc(LOOK_BYTES);
  return bytes.subarray(0, readSync(file, bytes, 0, LOOK_BYTES, position));
}

/** What recordings of OpenTelemetry are called, and how many times longer than they are what they say may be. */
const RECORDED = '.otlp.jsonl';
const MAX_REPEATED = 64;

/** What reading a transcript from disk gave. */
export interface ImportedFile extends ImportResult {
  /** The paths of the files beside it that were read with it. */
  readonly readWith: readonly string[];
}

/** The same, with records that may wait on the disk. */
export interface OpenedFile extends OpenedImport {
  readonly readWith: readonly string[];
}

/** How a transcript is read from disk. */
export interface FileOptions extends ImportOptions {
  /** Whether the files that belong to it are left out. */
  readonly alone?: boolean;
  readonly signal?: AbortSignal;
  /** Whether the files are being written: a last line that is not whole is left for later. */
  readonly isGrowing?: boolean;
  /** Up to which size of all files together their values are held, in bytes; 16 MiB by default. */
  readonly heldBytes?: number;
  /** Gives what is kept of a session that stands in many rows or files since it was read last, where it is one. */
  readonly kept?: () => CachedValues;
  /** Called now and then with how much of a large file is done, from 0 to 1. */
  readonly onProgress?: (done: number) => void;
  /** Called when a part of reading a large file begins. */
  readonly onPart?: (part: ImportPart) => void;
}

const fileOptionKinds: KnownOptions<FileOptions> = {
  ...importOptionKinds,
  alone: 'flag',
  isGrowing: 'flag',
  heldBytes: 'count',
  kept: 'function',
  onProgress: 'function',
  onPart: 'function',
};

/**
 * Reads a transcript from disk and, unless `alone`, the files that belong to it. Rejects only where the file itself
 * cannot be opened or read, or the signal is aborted. All records are held; see `openImport` for large files.
 */
export async function importFile(path: string, options: FileOptions = {}): Promise<ImportedFile> {
  const opened = await openImport(path, options);
  try {
    const { format, problems, readWith } = opened;
    const conversations = opened.conversations.map((each) => ({ ...each, records: [...each.records] }));
    return { format, conversations, problems, readWith };
  } finally {
    opened.close();
  }
}

/**
 * Reads a transcript from disk like `importFile`, but in bounded memory where it is large and of a format whose reader
 * takes one value after another: its records wait in a temporary file until the import is closed. A path may also name a
 * session in a database (`sessionInDatabase`), or the file of one that OpenCode keeps in a folder.
 */
export async function openImport(path: string, options: FileOptions = {}): Promise<OpenedFile> {
  checkOptions(options, fileOptionKinds, 'importFile');
  const {
    alone = false,
    isGrowing = false,
    signal,
    heldBytes = HELD_FILE_BYTES,
    onProgress,
    onPart,
    kept,
    ...rest
  } = options;
  const assembled = await assembledAt(path, kept);
  if (assembled) {
    const { values, problems, readWith = [] } = assembled;
    const whole = await importValues(values, basename(path), problems, signal);
    // Where it could not be read now, whoever follows it has not seen it as it is.
    if (values.length > 0) kept?.().used();
    return { ...whole, readWith, close: () => undefined };
  }
  const noText = whyNoText(path);
  if (noText !== undefined) return nothingRead(noText);
  const { paths, left } = alone ? { paths: [], left: 0 } : await sidecarPaths(path);
  const siblings = alone ? [] : await siblingsOf(path);
  const sidecars = named(path, [...paths, ...siblings]).map((each) => ({
    ...each,
    source: bytesOf(each.path, signal, isGrowing),
  }));
  // In a recording of ours long texts stand once that its lines say again and again.
  const held = path.endsWith(RECORDED) ? heldBytes / MAX_REPEATED : heldBytes;
  if (rest.maxBytes === undefined && isLarger([path, ...paths, ...siblings], held)) {
    const about = { heldBytes, isGrowing, sidecars, sidecarsLeft: left, signal, onProgress, onPart };
    const large = await readLarge(path, basename(path), about);
    if (large) return { ...large, readWith: paths };
  }
  const about = { heldBytes, isGrowing: false, sidecars, sidecarsLeft: left, signal, onProgress, onPart };
  const unpacked = rest.maxBytes === undefined ? await openPacked(path, about) : undefined;
  if (unpacked) return { ...unpacked, readWith: paths };
  const more = { sidecars, sidecarsLeft: left, signal, ...rest };
  const whole = await importTranscript(bytesOf(path, signal, isGrowing), basename(path), more);
  return { ...whole, readWith: paths, close: () => undefined };
}

/** What is told of a file of which nothing is read. */
function nothingRead(message: string): OpenedFile {
  const problems = [{ severity: 'error', message } as const];
  return { format: 'unknown', conversations: [], problems, readWith: [], close: () => undefined };
}

/** Reads a file that is packed by gzip or Zstandard from the disk, where it is large once it is unpacked; undefined for any other. */
async function openPacked(path: string, about: LargeOptions): Promise<OpenedImport | undefined> {
  const unpacked = await unpackedOnDisk(path, about.signal);
  if (!unpacked) return undefined;
  try {
    if (unpacked.path === undefined)
      return nothingRead(
        `The file (packed) unpacks to more than ${sizeWords(MAX_TRANSCRIPT_BYTES)}; it was not read. Unpack it and import what is in it.`,
      );
    const noText = whyNoText(unpacked.path);
    if (noText !== undefined) return nothingRead(noText);
    if (!isLarger([unpacked.path], about.heldBytes)) return undefined;
    return await readLarge(unpacked.path, basename(path), about);
  } finally {
    await unpacked.remove();
  }
}

/** The values of a session that stands in many rows or files; undefined where a path names none of these. */
async function assembledAt(path: string, kept?: () => CachedValues): Promise<SessionValues | undefined> {
  try {
    const inDatabase = await valuesInDatabase(path, kept);
    if (inDatabase) return inDatabase;
    for (const tool of tools) {
      const values = await tool.valuesAt?.(path, kept);
      if (values) return values;
    }
    return undefined;
  } catch (error) {
    if (error instanceof DatabaseError) return { values: [], problems: [error.message] };
    throw error;
  }
}

/** Whether files are larger than a number of bytes together; what cannot be looked at counts for nothing. */
function isLarger(paths: readonly string[], bytes: number): boolean {
  let size = 0;
  for (const path of paths) {
    try {
      size += statSync(path).size;
    } catch {
      // Reading it tells why.
    }
  }
  return size > bytes;
}

/** A file on the disk beside a transcript. */
export interface NamedFile {
  /** Its path relative to the transcript's folder, separated by `/`. */
  readonly name: string;
  readonly path: string;
}

/** The files that belong to a transcript, by their names. */
export interface SidecarFiles {
  readonly files: readonly NamedFile[];
  /** See `SidecarPaths`. */
  readonly left: number;
}

/** The files beside a transcript that are read with it. */
export async function filesRead(path: string, parents?: KnownParents): Promise<SidecarFiles> {
  const { paths, left } = await sidecarPaths(path, parents);
  return { files: named(path, paths), left };
}

/** The same, and those that are looked at for it. */
export async function sidecarFiles(path: string, parents?: KnownParents): Promise<SidecarFiles> {
  const { files, left } = await filesRead(path, parents);
  return { files: [...files, ...named(path, await siblingsOf(path))], left };
}

function named(path: string, beside: readonly string[]): readonly NamedFile[] {
  const folder = folderOf(path);
  return beside.map((each) => ({ name: relative(folder, each).replaceAll('\\', '/'), path: each }));
}

/** The files that belong to a transcript, as its tool knows them. What `parents` know is not read again. */
export async function sidecarPaths(path: string, parents?: KnownParents): Promise<SidecarPaths> {
  const owner = ownerOf(path);
  return owner ? owner.sidecarFiles(path, parents) : atMost(await besideOf(path, 'sidecarFiles'));
}

/**
 * Every place on the disk, there or not, whose change may change what is read of a file of lines: itself, the files beside it, and
 * where more of them may come to stand. Undefined where that cannot be told.
 */
export async function placesRead(
  path: string,
  parents?: KnownParents,
): Promise<readonly string[] | undefined> {
  if (!path.endsWith('.jsonl') || path.endsWith(RECORDED)) return undefined;
  const owner = tools.find(({ owned }) => owned?.is(path));
  const looking = tools.filter(({ sidecarFiles, filesLookedAt }) => sidecarFiles ?? filesLookedAt);
  const places = [path];
  for (const tool of owner ? [owner] : looking) {
    const beside = await tool.placesBeside?.(path, parents);
    if (!beside) return undefined;
    appendAll(places, beside);
  }
  const { paths, left } = await sidecarPaths(path, parents);
  return left > 0 ? undefined : [...new Set([...places, ...paths])];
}

/**
 * The session that a file is a part of and is read with, as that of a subagent is, where it lies where its tool puts it; the file
 * itself where it is a part of none.
 */
export async function wholeOf(path: string): Promise<string> {
  const parts = [path];
  for (let whole = path; ; parts.push(whole)) {
    const over = await sessionOver(whole);
    if (over === undefined) return whole;
    const at = parts.indexOf(over);
    // Where each is a part of the next, one stands for all, whichever was given.
    if (at >= 0) return parts.slice(at).toSorted()[0] ?? whole;
    whole = over;
  }
}

/** A session among those that a file may be a part of which has it; undefined where there is none. */
async function sessionOver(path: string): Promise<string | undefined> {
  for (const tool of tools)
    for (const over of (await tool.sessionsOver?.(path)) ?? []) {
      const isThere = over !== path && entryNow(over)?.isFile() === true && mayBeSession(over);
      if (isThere && (await sidecarPaths(over)).paths.includes(path)) return over;
    }
  return undefined;
}

/** How much of a session is read to see that it is one, in bytes. */
const SESSION_BYTES = 1024;

/** Whether a file can be read and begins as one of lines or values does: what is empty or broken holds none of its parts. */
function mayBeSession(path: string): boolean {
  return /^\s*[[{]/.test(headOf(path, SESSION_BYTES));
}

/** The files that are looked at to understand a session; they belong to themselves. */
async function siblingsOf(path: string): Promise<readonly string[]> {
  return ownerOf(path) ? [] : besideOf(path, 'filesLookedAt');
}

function ownerOf(path: string): Tool['owned'] {
  return tools.find(({ owned }) => owned?.is(path))?.owned;
}

async function besideOf(path: string, which: 'sidecarFiles' | 'filesLookedAt'): Promise<readonly string[]> {
  const found: string[] = [];
  for (const tool of tools) appendAll(found, (await tool[which]?.(path)) ?? []);
  return found;
}

/** The folder that the names of files beside are relative to: the one named like a session in lines, unless its tool says another. */
function folderOf(path: string): string {
  if (!path.endsWith('.jsonl')) return dirname(path);
  for (const tool of tools) {
    const folder = tool.folderOf?.(path);
    if (folder !== undefined) return folder;
  }
  return path.slice(0, -'.jsonl'.length);
}

/**
 * The bytes of a file, which is opened only when they are read, because there may be many files. A file that may be read
 * whole is given at once: pieces would have to be put together, which takes its size twice.
 */
async function* bytesOf(
  path: string,
  signal: AbortSignal | undefined,
  isGrowing: boolean,
): AsyncGenerator<Uint8Array> {
  signal?.throwIfAborted();
  const { size } = statSync(path);
  if (size > 0 && size <= MAX_TRANSCRIPT_BYTES) {
    const whole = isGrowing ? wholePart(path) : size;
    // What was written meanwhile belongs to the next time.
    const bytes = size <= SHORT_BYTES ? readFileSync(path) : await readFile(path, signal ? { signal } : {});
    yield isGrowing ? bytes.subarray(0, whole) : bytes;
    return;
  }
  yield* createReadStream(path, signal ? { signal } : {}) as AsyncIterable<Uint8Array>;
}
