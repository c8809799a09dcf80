import { createReadStream } from 'node:fs';
import { lstat, open, readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import { valuesInFolder } from './tools/openCode/openCodeFolder.js';
import { valuesInDatabase } from './sessionDatabases.js';
import type { KeptValues } from './databases/keptValues.js';
import type { SessionValues } from './databases/toolDatabase.js';
import type { ImportResult } from './reading/importResult.js';
import { DatabaseError } from '../node/sqlite/databaseReader.js';
import { HELD_FILE_BYTES, wholePart } from './reading/fileEntries.js';
import { MAX_TRANSCRIPT_BYTES } from './reading/readBytes.js';
import { readLarge, type ImportPart, type OpenedImport } from './readLarge.js';
import { importTranscript, importValues, type ImportOptions } from './importTranscript.js';
import { fields, parsed } from './reading/fields.js';
import { CopyMark } from './tools/claudeCode/claudeLineage.js';

/** The tables beside OpenCode's `messages.json`. */
const OPEN_CODE_TABLES = ['parts.json', 'sessions.json'];

/** The file name of a Codex rollout: its start time and its thread's id. */
const ROLLOUT = /^rollout-.*?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/;

/** How much of a rollout's first line is read, in bytes; it may contain long instructions. */
const MAX_META = 256 * 1024;

/** Within how many bytes a trajectory says its schema. */
const MAX_HEAD = 4096;

/** How much of a session of Claude Code is read to see of which other it is a copy, in bytes. */
const MAX_BEGINNING = 32 * 1024;

/** The longest trajectory that is searched for references, in bytes. */
const MAX_TRAJECTORY = 128 * 1024 * 1024;

/** How many files beside a session are read with it at most. */
const MAX_SIDECARS = 1000;

/** The files that belong to a transcript. */
export interface SidecarPaths {
  readonly paths: readonly string[];
  /** How many more there may be, which were not examined. */
  readonly left: number;
}

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
  readonly kept?: () => KeptValues;
  /** Called now and then with how much of a large file is done, from 0 to 1. */
  readonly onProgress?: (done: number) => void;
  /** Called when a part of reading a large file begins. */
  readonly onPart?: (part: ImportPart) => void;
}

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
async function assembledAt(path: string, kept?: () => KeptValues): Promise<SessionValues | undefined> {
  try {
    return (await valuesInDatabase(path, kept)) ?? (await valuesInFolder(path, kept));
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

/** What the rollouts in a folder of Codex's say of who started them, so that it is read once. */
export class KnownParents {
  /** By their paths; undefined where none did. */
  readonly of = new Map<string, string | undefined>();
  /** The paths of those that do not say it yet. */
  readonly open = new Set<string>();

  know(path: string, parent: string | undefined): void {
    this.of.set(path, parent);
    this.open.delete(path);
  }
}

/** The files that belong to a transcript, by their names. */
export interface FilesBeside {
  readonly files: readonly NamedFile[];
  /** See `SidecarPaths`. */
  readonly left: number;
}

/** The files beside a transcript that are read with it. */
export async function filesRead(path: string, parents?: KnownParents): Promise<FilesBeside> {
  const { paths, left } = await sidecarPaths(path, parents);
  return { files: named(path, paths), left };
}

/** The same, and those that are looked at for it. */
export async function filesBeside(path: string, parents?: KnownParents): Promise<FilesBeside> {
  const { files, left } = await filesRead(path, parents);
  return { files: [...files, ...named(path, await siblingsOf(path))], left };
}

function named(path: string, beside: readonly string[]): readonly NamedFile[] {
  const folder = folderOf(path);
  return beside.map((each) => ({ name: relative(folder, each).replaceAll('\\', '/'), path: each }));
}

/**
 * The files that belong to a transcript: the sessions of Claude Code's, Qwen Code's, Kimi Code's, Cursor's and Codex's subagents, the tables beside
 * OpenCode's, the settings beside Droid's, the trajectories that one in ATIF refers to. What `parents` know is not read again.
 */
export async function sidecarPaths(path: string, parents?: KnownParents): Promise<SidecarPaths> {
  if (basename(path) === 'messages.json') {
    const tables = OPEN_CODE_TABLES.map((name) => join(dirname(path), name));
    const found = await Promise.all(tables.map((table) => stat(table).catch(() => undefined)));
    return { paths: tables.filter((_table, index) => found[index]?.isFile()), left: 0 };
  }
  if (path.endsWith('.json')) return trajectoriesBeside(path);
  if (!path.endsWith('.jsonl')) return { paths: [], left: 0 };
  if (ROLLOUT.test(basename(path))) return descendantsOf(path, parents);
  if (basename(path) === 'wire.jsonl') return wiresBeside(path);
  if (basename(path) === 'messages.jsonl') return vibesBeside(path);
  const folder = subagentsOf(path);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const sessions = entries.filter((entry) => entry.isFile() && /\.(?:jsonl|meta\.json)$/.test(entry.name));
  const settings = path.replace(/\.jsonl$/, '.settings.json');
  const hasSettings = (await lstat(settings).catch(() => undefined))?.isFile() === true;
  const found = sessions.map((entry) => join(entry.parentPath, entry.name)).sort();
  return atMost([...(hasSettings ? [settings] : []), ...found, ...(await workflowsOf(path))]);
}

/** What Mistral Vibe says of a session beside its messages. */
async function vibesBeside(path: string): Promise<SidecarPaths> {
  const about = join(dirname(path), 'meta.json');
  const isThere = (await lstat(about).catch(() => undefined))?.isFile() === true;
  return { paths: isThere ? [about] : [], left: 0 };
}

/** What Claude Code says of the workflows that a session has started. */
async function workflowsOf(path: string): Promise<readonly string[]> {
  const folder = join(folderOf(path), 'workflows');
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.json'));
  return files.map(({ name }) => join(folder, name)).sort();
}

/**
 * The sessions in the folder of one of Claude Code's that begins with a copy: those with the same first message, of which it
 * may be one. They are looked at, and belong to themselves.
 */
async function siblingsOf(path: string): Promise<readonly string[]> {
  const isOther = ROLLOUT.test(basename(path)) || basename(path) === 'wire.jsonl';
  if (!path.endsWith('.jsonl') || isOther) return [];
  const head = await headOf(path, MAX_BEGINNING);
  const [, first] = /"uuid":\s*"([^"\\]+)"/.exec(head) ?? [];
  if (first === undefined || !beginsWithCopy(head)) return [];
  const entries = await readdir(dirname(path), { withFileTypes: true }).catch(() => []);
  const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  const others = names.filter((name) => /^(?!agent-).*\.jsonl$/.test(name) && name !== basename(path));
  const found: string[] = [];
  for (const name of others.sort().slice(0, MAX_SIDECARS)) {
    const sibling = join(dirname(path), name);
    if ((await headOf(sibling, MAX_BEGINNING)).includes(`"${first}"`)) found.push(sibling);
  }
  return found;
}

/** Whether the beginning of a session of Claude Code is that of another; the last line may be cut. */
function beginsWithCopy(head: string): boolean {
  const mark = new CopyMark();
  for (const line of head.split('\n')) mark.look(fields(parsed(line)));
  return mark.isCopy;
}

/** The first bytes of a file as text; '' where it cannot be read: importing it reports why. */
async function headOf(path: string, bytes: number): Promise<string> {
  const file = await open(path).catch(() => undefined);
  try {
    const { buffer, bytesRead } = (await file?.read(Buffer.alloc(bytes), 0, bytes)) ?? {};
    return buffer?.toString('utf8', 0, bytesRead) ?? '';
  } catch {
    return '';
  } finally {
    await file?.close();
  }
}

/** The events of the subagents of a session of Kimi Code, whose own are in `agents/main`. */
async function wiresBeside(path: string): Promise<SidecarPaths> {
  const agents = dirname(dirname(path));
  if (basename(dirname(path)) !== 'main' || basename(agents) !== 'agents') return { paths: [], left: 0 };
  const names = (await readdir(agents)).filter((name) => name !== 'main').sort();
  const found = await Promise.all(
    names.map((name) => lstat(join(agents, name, 'wire.jsonl')).catch(() => undefined)),
  );
  return atMost(
    names.filter((_name, index) => found[index]?.isFile()).map((name) => join(agents, name, 'wire.jsonl')),
  );
}

/** The trajectories that one refers to by path, directly or indirectly, as far as they are files in its folder or below. */
async function trajectoriesBeside(path: string): Promise<SidecarPaths> {
  const folder = dirname(path);
  const found = [path];
  for (const each of found) {
    if (found.length > MAX_SIDECARS) break;
    for (const named of await trajectoryPaths(each)) {
      const candidates = [join(dirname(each), named), join(folder, named)];
      for (const candidate of candidates) {
        const isInside =
          !relative(folder, candidate).startsWith('..') && !isAbsolute(relative(folder, candidate));
        if (!isInside || found.includes(candidate)) continue;
        const info = await lstat(candidate).catch(() => undefined);
        if (info?.isFile()) found.push(candidate);
      }
    }
  }
  return atMost(found.slice(1));
}

/** The paths that a trajectory refers to; none for any other file, and for one that cannot be read. */
async function trajectoryPaths(path: string): Promise<readonly string[]> {
  if (!(await headOf(path, MAX_HEAD)).includes('"ATIF-v')) return [];
  try {
    if ((await stat(path)).size > MAX_TRAJECTORY) return [];
    const whole = await readFile(path, 'utf8');
    const references = whole.matchAll(/"(?:trajectory_path|continued_trajectory_ref)"\s*:\s*"([^"\\]+)"/g);
    return Array.from(references, ([, named = '']) => named);
  } catch {
    return []; // An unreadable file refers to nothing; importing it reports why.
  }
}

function atMost(paths: readonly string[]): SidecarPaths {
  return { paths: paths.slice(0, MAX_SIDECARS), left: Math.max(0, paths.length - MAX_SIDECARS) };
}

/** The rollouts in the same folder (Codex has one per day) of threads that this one started, directly or indirectly. */
async function descendantsOf(path: string, known = new KnownParents()): Promise<SidecarPaths> {
  const folder = dirname(path);
  const own = basename(path);
  const names = (await readdir(folder)).filter((name) => ROLLOUT.test(name) && name !== own).sort();
  // A thread starts after its parent, unless the clock was set back; within one second the names have no order.
  const later = names.filter((name) => beginOf(name) >= beginOf(own));
  const earlier = names.filter((name) => beginOf(name) < beginOf(own));
  const parents = new Map<string, string | undefined>();
  const { paths, left } = atMost([...later, ...earlier].map((name) => join(folder, name)));
  for (const each of paths) parents.set(each, await parentThread(each, known));
  const found = [path];
  for (const each of found) {
    const thread = ROLLOUT.exec(basename(each))?.[1];
    for (const [other, parent] of parents) {
      if (parent === thread && !found.includes(other)) found.push(other);
    }
  }
  return { paths: found.slice(1), left };
}

/** A rollout's name up to the second in which it started. */
function beginOf(name: string): string {
  return name.slice(0, name.length - (ROLLOUT.exec(name)?.[1] ?? '').length - '.jsonl'.length);
}

/** The thread that started a rollout, according to its first line, which never changes once it is whole. */
async function parentThread(path: string, known: KnownParents): Promise<string | undefined> {
  if (known.of.has(path)) return known.of.get(path);
  const head = await headOf(path, MAX_META);
  const [first = ''] = head.split('\n', 1);
  const parent = /"parent_thread_id"\s*:\s*"([^"]+)"/.exec(first)?.[1];
  if (parent !== undefined || first.length < head.length) known.know(path, parent);
  else known.open.add(path);
  return parent;
}

/** The folder that sidecar names are relative to: that of tables and rollouts, or the one named like a session. */
function folderOf(path: string): string {
  const isAlone = !path.endsWith('.jsonl') || ROLLOUT.test(basename(path));
  const own = path.slice(0, -'.jsonl'.length);
  // Cursor's transcript is in the folder of its name, Claude Code's is beside it.
  return isAlone || basename(dirname(path)) === basename(own) ? dirname(path) : own;
}

/** The folder of a session's subagents: Qwen Code's is beside that of the sessions, `chats`. */
function subagentsOf(path: string): string {
  const isQwen = basename(dirname(path)) === 'chats';
  return isQwen
    ? join(dirname(dirname(path)), 'subagents', basename(path, '.jsonl'))
    : join(folderOf(path), 'subagents');
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
