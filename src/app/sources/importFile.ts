import { stat, opendir } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { t } from '../../core/l10n.js';
import { wholeOf } from '../../import/importFile.js';
import { wholePart } from '../../import/reading/fileEntries.js';
import { projectOf } from '../../import/projectOf.js';
import type { Problem } from '../../core/agent.js';
import { silentLog } from '../../core/ports/log.js';
import { locate } from '../../store/catalog/conversationFolders.js';
import { areSameNow, stampsOf, type FileStamp } from '../../store/read/fileStamp.js';
import type { TranscriptStore } from '../../store/transcriptStore.js';
import { RecordsHere, type ImportOutcome } from '../../store/write/importSession.js';
import { importIntoStore, importReportOf } from '../stores/importIntoStore.js';
import type { SessionParts } from '../stores/namedSessions.js';
import { UserError } from '../userError.js';
import { fileKind } from './fileKind.js';
import { openConversations, reportProblems, type FileReading } from './fileSessions.js';
import { SessionFinder } from '../../capture/discovery/sessionFinder.js';
import { messageOf } from '../../core/text.js';
import { TOOL_IDS } from '../../import/toolHomes.js';

/** The most files that a folder stands for. */
const MAX_FILES = 50_000;
/** How many folders may lie in each other. */
const MAX_DEPTH = 32;

/** Files that may hold transcripts, by their names; whether they do, reading them tells. */
const MAYBE =
  /\.(?:jsonl?|ndjson|eval|chat)(?:\.(?:zst|gz))?$|\.zip$|\.vscdb$|^(?:opencode[\w.-]*|sessions|threads|crush|state|session-store|(?:agent-)?traces)\.db$|^data\.sqlite3$/i;

/** The files in a folder that may hold transcripts, and what was not looked at, in words. */
interface FolderFiles {
  readonly paths: readonly string[];
  readonly problems: readonly string[];
}

/**
 * The sessions of known tools where these keep them below a folder, as in a person's home or a copy of one; without any, all
 * files in it and below that may hold transcripts by their names. Hidden folders and links are left alone.
 */
export async function transcriptsIn(folder: string): Promise<FolderFiles> {
  const finder = new SessionFinder({ home: folder, platform: process.platform, env: {} });
  const changes = await finder.changes(TOOL_IDS.map((id) => ({ id, folders: [] })));
  const ofTools = changes.flatMap(({ written }) => written.map(({ path }) => path));
  if (ofTools.length > 0)
    return { paths: [...new Set(ofTools)].sort(), problems: changes.flatMap(({ problems }) => problems) };
  const found = { paths: [] as string[], problems: [] as string[] };
  await filesBelow(folder, found, 0);
  return { ...found, paths: found.paths.sort() };
}

async function filesBelow(
  folder: string,
  found: { readonly paths: string[]; readonly problems: string[] },
  depth: number,
): Promise<void> {
  try {
    for await (const entry of await opendir(folder)) {
      const path = join(folder, entry.name);
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
      if (entry.isDirectory() && depth < MAX_DEPTH) await filesBelow(path, found, depth + 1);
      if (!entry.isFile() || !MAYBE.test(entry.name)) continue;
      if (found.paths.length === MAX_FILES) {
        found.problems.push(t`${folder} holds more than ${MAX_FILES} files; the others are not looked at.`);
        return;
      }
      found.paths.push(path);
    }
  } catch (error) {
    found.problems.push(t`${folder} cannot be looked at: ${messageOf(error)}`);
  }
}

/** What is kept of a file with more sessions or problems would be much, in characters; it is read each time. */
const MAX_KEPT = 256 * 1024;

/** How long after it was written to a half-written last line is taken for one that is being written, in milliseconds. */
const WRITTEN_MS = 60 * 60_000;

/** A file, and what a person calls it. */
export interface NamedPath {
  readonly path: string;
  readonly name: string;
}

/** The session that a file is or is a part of, as a person would call it who has called the file so. */
export async function wholeNamed({ path, name }: NamedPath): Promise<NamedPath> {
  const whole = await wholeOf(path);
  return { path: whole, name: whole === path ? name : join(dirname(name), relative(dirname(path), whole)) };
}

/** What came of one conversation of a file. */
export interface ImportedFileSession {
  /** The id that the file gives it. */
  readonly session: string;
  readonly outcome: ImportOutcome;
}

/** A store that is imported into, and where it is. */
export interface ImportingStore {
  readonly store: TranscriptStore;
  readonly root: string;
}

/**
 * Imports the conversations of a file of any known tool into a store, one after the other; a file of which all is there, and which is
 * as it was then, is not read. Throws a UserError where the
 * file cannot be read or holds no conversation, and a `StoreError`; what was stored before stays.
 */
export async function* importFileInto(
  into: ImportingStore,
  { path, name }: NamedPath,
  reading: FileReading & {
    /** Told the paths of the files beside it that belong to it, once it is read and before it is stored. */
    readonly onRead: (readWith: readonly string[]) => void;
  },
): AsyncGenerator<ImportedFileSession, void, undefined> {
  const kind = fileKind(path, name);
  if (kind === 'folder') throw new UserError(t`${name} is a folder, and no file.`);
  if (kind === 'pipe')
    throw new UserError(t`${name} is a pipe; what is imported must be a file, which can be read again.`);
  const { cache } = reading;
  const known = cache?.known(path);
  const before = known && cache && (await importedBefore(cache.partsOfFile(known), into.root));
  if (before) {
    reading.onRead(before.readWith);
    reportProblems(before.problems, name, reading.onProblem);
    for (const { session, conversation } of before.sessions)
      yield { session, outcome: { kind: 'unchanged', conversation, added: 0 } };
    return;
  }
  const mark = known ?? (await cache?.mark(path));
  const isGrowing = await isBeingWritten(path);
  const { opened, kept } = await openConversations(path, name, { ...reading, isGrowing });
  try {
    reading.onRead(opened.readWith);
    const isHalf = isGrowing && (await isHalfWritten(path));
    if (isHalf)
      reading.onProblem({
        source: name,
        message: t`its last line is not whole yet; it comes with the next import.`,
        isLoss: false,
      });
    const report = importReportOf(
      { ...opened, path },
      kept.map(({ records }) => records),
    );
    const sessions: ImportedBefore['sessions'][number][] = [];
    for (const { id, title, records } of kept) {
      const read = { id, title, project: projectOf(records), records: new RecordsHere(records, silentLog) };
      const outcome = await importIntoStore(into.store, read, report, reading.signal);
      const { conversation } = outcome;
      sessions.push({
        session: id,
        conversation,
        stamps: await stampsOf(await locate(into.root, conversation)),
      });
      yield { session: id, outcome };
    }
    const { problems, readWith } = opened;
    if (cache && mark && !isHalf)
      await keepImported(cache.partsOfFile(mark), into.root, { problems, readWith, sessions });
  } finally {
    opened.close();
  }
}

/** What a file came to in a store: what was told, and which conversations hold it, with the stamps of their journals then. */
interface ImportedBefore {
  readonly problems: readonly Problem[];
  readonly readWith: readonly string[];
  readonly sessions: readonly {
    readonly session: string;
    readonly conversation: string;
    readonly stamps: readonly FileStamp[];
  }[];
}

const partOf = (root: string) => `imported:${root}`;

/** The same as long as the conversations are as they were then; undefined where they are not, or nothing is known. */
async function importedBefore(parts: SessionParts, root: string): Promise<ImportedBefore | undefined> {
  const part = await parts.load(partOf(root));
  if (!part) return undefined;
  const before = JSON.parse(part.toString()) as ImportedBefore;
  for (const { conversation, stamps } of before.sessions)
    if (!areSameNow(await locate(root, conversation), stamps)) return undefined;
  return before;
}

async function keepImported(parts: SessionParts, root: string, imported: ImportedBefore): Promise<void> {
  const json = JSON.stringify(imported);
  if (json.length <= MAX_KEPT) await parts.save(partOf(root), Buffer.from(json));
}

/** Whether a file may be one that its tool writes just now: what was cut for good is kept out no longer than that. */
async function isBeingWritten(path: string): Promise<boolean> {
  const about = await stat(path).catch(() => undefined);
  return about === undefined || Date.now() - about.mtimeMs < WRITTEN_MS;
}

/** Whether a file of lines ends within one, as while its tool writes it. */
async function isHalfWritten(path: string): Promise<boolean> {
  const about = await stat(path).catch(() => undefined);
  return about?.isFile() === true && wholePart(path) < about.size;
}
