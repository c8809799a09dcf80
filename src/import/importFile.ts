import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, relative } from 'node:path';
import { appendAll } from '../core/lists.js';
import { valuesInDatabase } from './sessionDatabases.js';
import type { CachedValues } from './databases/cachedValues.js';
import type { SessionValues } from './databases/toolDatabase.js';
import type { ImportResult } from './reading/importResult.js';
import { checkOptions, type KnownOptions } from '../core/checkOptions.js';
import { DatabaseError } from '../node/sqlite/databaseReader.js';
import { isNoText, NO_TEXT } from './reading/firstLook.js';
import { HELD_FILE_BYTES, wholePart } from './reading/fileEntries.js';
import { MAX_TRANSCRIPT_BYTES } from './reading/readBytes.js';
import { readLarge, type ImportPart, type OpenedImport } from './readLarge.js';
import { importOptionKinds, importTranscript, importValues, type ImportOptions } from './importTranscript.js';
import { tools } from './tools.js';
import { atMost, type KnownParents, type SidecarPaths, type Tool } from './tools/tool.js';

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
  if (isNoText(path)) {
    const problems = [{ severity: 'error', message: NO_TEXT } as const];
    return { format: 'unknown', conversations: [], problems, readWith: [], close: () => undefined };
  }
  const { paths, left } = alone ? { paths: [], left: 0 } : await sidecarPaths(path);
  const siblings = alone ? [] : await siblingsOf(path);
  const sidecars = named(path, [...paths, ...siblings]).map((each) => ({
    ...each,
    source: bytesOf(each.path, signal, isGrowing),
  }));
  if (rest.maxBytes === undefined && (await isLarger([path, ...paths, ...siblings], heldBytes))) {
    const about = { heldBytes, isGrowing, sidecars, sidecarsLeft: left, signal, onProgress, onPart };
    const large = await readLarge(path, basename(path), about);
    if (large) return { ...large, readWith: paths };
  }
  const more = { sidecars, sidecarsLeft: left, signal, ...rest };
  const whole = await importTranscript(bytesOf(path, signal, isGrowing), basename(path), more);
  return { ...whole, readWith: paths, close: () => undefined };
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
export async function isLarger(paths: readonly string[], bytes: number): Promise<boolean> {
  let size = 0;
  for (const path of paths) size += (await stat(path).catch(() => undefined))?.size ?? 0;
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
  const { size } = await stat(path);
  if (size > 0 && size <= MAX_TRANSCRIPT_BYTES) {
    const whole = isGrowing ? wholePart(path) : size;
    // What was written meanwhile belongs to the next time.
    const bytes = await readFile(path, signal ? { signal } : {});
    yield isGrowing ? bytes.subarray(0, whole) : bytes;
    return;
  }
  yield* createReadStream(path, signal ? { signal } : {}) as AsyncIterable<Uint8Array>;
}
