import { unlink, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../core/errorCode.js';
import { greatestOf } from '../../core/lists.js';
import { messageOf } from '../../core/text.js';
import type { Log } from '../../core/ports/log.js';
import { endsWithinLine } from '../../node/lines.js';
import type { ProcessLock } from '../../node/processLock.js';
import { lockConversation } from './conversationLock.js';
import { MAX_LINE_BYTES } from '../format/lineFormat.js';
import { FORMAT, encodeHeader } from '../format/journalHeader.js';
import { headerOf, type JournalLines, type SegmentState, segmentsIn } from '../read/journalLines.js';
import { openLines, type ReadLinesOnThread } from '../read/openLines.js';
import { APPEND, findFolder, makeFolder, openPlainFile } from '../../node/plainFile.js';
import { SegmentFile } from './segmentFile.js';
import { StoreError } from './storeProblem.js';
import { names, type ConversationPaths } from '../files/storePaths.js';
import type { LogRecord } from '../../core/record.js';
import { encodeBatch } from './journalBatch.js';
import { readLegacy } from '../format/legacyFormat.js';
import { spillOrKeep } from './spillFiles.js';
import { writeAtomically } from '../../node/atomicFile.js';

/** What was done to the end of a journal file; undefined where it ended in a newline. */
export type Repair =
  | { readonly kind: 'newline' }
  | { readonly kind: 'quarantined'; readonly bytes: number; readonly path: string };

/** The last file of a journal; without `file`, what follows goes to a new one, because this one is of an older format. */
export interface LastSegment {
  readonly file: SegmentFile | undefined;
  readonly segment: number;
}

/** A conversation whose lock is held and whose last file can be continued. */
export interface ResumedConversation {
  readonly lock: ProcessLock;
  readonly lines: JournalLines;
  readonly repair: Repair | undefined;
  /** Where to continue; undefined where nothing was left of the last file. */
  readonly last: LastSegment | undefined;
}

/** Takes over a conversation for writing, or tells a person why it cannot be. Never throws. */
export async function takeOver(
  paths: ConversationPaths,
  log: Log,
  onThread?: ReadLinesOnThread,
): Promise<ResumedConversation | { readonly refused: string }> {
  let lock: ProcessLock | undefined;
  try {
    if (!(await findFolder(paths.root, names.conversations, paths.name)))
      return { refused: 'There is no such conversation.' };
    const newer = await newerThanUs(paths);
    if (newer) return newer;
    const acquired = await lockConversation(paths);
    if ('refused' in acquired) return acquired;
    lock = acquired.lock;
    await convertLegacy(paths, log);
    const lines = await openLines(paths, log, onThread);
    const newerPart = await newerThanUs(paths);
    if (!newerPart) return { lock, lines, ...(await openLast(lines)) };
    await lock.release();
    return newerPart;
  } catch (error) {
    log.warn(`The conversation ${paths.id} could not be taken over`, error);
    await lock?.release().catch(() => undefined);
    const left = 'This conversation cannot be continued.';
    if (errorCode(error) === '') return { refused: `${left} (${messageOf(error)})` };
    return { refused: new StoreError(error, paths.root, left).message };
  }
}

/** Looks at the files themselves: an index that is stored beside them knows no headers, and an older window continues a file. */
async function newerThanUs(paths: ConversationPaths): Promise<{ readonly refused: string } | undefined> {
  const formats: number[] = [];
  for (const segment of await segmentsIn(paths)) formats.push((await headerOf(paths, segment))?.format ?? 0);
  const format = greatestOf(formats, 0);
  if (format <= FORMAT) return undefined;
  return {
    refused: `A newer version of Agent Logbook (format ${format}) has written this conversation. It can be read here, not continued.`,
  };
}

async function openLast(lines: JournalLines): Promise<Pick<ResumedConversation, 'repair' | 'last'>> {
  const state = lines.segments.at(-1);
  if (!state) return { repair: undefined, last: undefined };
  const repair = await repairTail(lines.paths, state);
  if (state.covered === 0) return { repair, last: undefined };
  const path = lines.paths.segment(state.segment);
  const format = (await headerOf(lines.paths, state.segment))?.format ?? FORMAT;
  if (format < FORMAT) return { repair, last: { file: undefined, segment: state.segment } };
  const handle = await openPlainFile(path, APPEND);
  const { size } = await handle.stat();
  return { repair, last: { file: new SegmentFile(handle, path, size), segment: state.segment } };
}

/**
 * Makes a file end in a newline: a complete last record, or a line from which complete ones can be salvaged, gets the
 * missing newline; the bytes of a truncated one are moved to the folder `quarantine`. A file that is then empty is removed.
 * Only the holder of the lock may do this.
 */
async function repairTail(paths: ConversationPaths, state: SegmentState): Promise<Repair | undefined> {
  const path = paths.segment(state.segment);
  const handle = await openPlainFile(path, APPEND);
  try {
    const { size } = await handle.stat();
    if (size === 0) {
      await unlink(path);
      return undefined;
    }
    if (!(await endsWithinLine(handle, size))) return undefined;
    // What is too large to be loaded stays where it is: as a line of its own it does no harm.
    if (state.covered > 0 && (state.rest === 0 || state.rest > MAX_LINE_BYTES)) {
      await handle.write('\n');
      await handle.sync();
      return { kind: 'newline' };
    }
    const moved = await quarantine(paths, state, handle);
    await handle.truncate(state.covered);
    await handle.sync();
    if (state.covered === 0) await unlink(path);
    return { kind: 'quarantined', bytes: state.rest, path: moved };
  } finally {
    await handle.close();
  }
}

async function quarantine(
  paths: ConversationPaths,
  { segment, covered, rest }: SegmentState,
  handle: FileHandle,
): Promise<string> {
  const folder = await makeFolder(paths.root, names.conversations, paths.name, names.quarantine);
  const path = join(folder, `truncated-${segment + 1}-${covered}.bin`);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(rest), 0, rest, covered);
  await writeAtomically(path, buffer.subarray(0, bytesRead));
  return path;
}

/**
 * Creates a journal for a conversation of the older layout, completely or not at all, so that it can be continued; the
 * older file stays. Does nothing where there is a journal already. Throws where the older file cannot be read.
 */
async function convertLegacy(paths: ConversationPaths, log: Log): Promise<void> {
  if ((await segmentsIn(paths)).length > 0) return;
  const older = await readLegacy(paths);
  if (!older) return;
  if ('why' in older) throw new Error(`messages.json cannot be read: ${older.why}`);
  const records: LogRecord[] = [];
  for (const record of older.records) {
    records.push(
      await spillOrKeep(record as LogRecord, paths, (error) =>
        log.warn(`A large text stays in its record: ${messageOf(error)}`),
      ),
    );
  }
  const header = encodeHeader(paths.id, older.records[0]?.time ?? 0, 0);
  await writeAtomically(paths.segment(0), Buffer.concat([header, encodeBatch(records, log).bytes]));
}
