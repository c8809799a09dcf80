import { stat } from 'node:fs/promises';
import { yieldToEventLoop } from '../core/yieldToEventLoop.js';
import { FollowedFile, type Gained } from './followedFile.js';
import { hasFilesBeside, type OpenedFile } from './importFile.js';
import { QUIET_MS } from './quietTime.js';
import type { ImportedRecord } from './importResult.js';
import { Spool } from './spool/spool.js';
import { SpooledRecords } from './spool/spooledRecords.js';

/** A file that was read as far as it is written, and that can be read on from there. */
export interface FollowedImport extends OpenedFile {
  readonly followed: FollowedFile;
}

/**
 * Reads a file from which only what it gains will be read from then on; undefined where it cannot be followed so, and must be
 * read as a whole each time. Rejects with errors of the file system; `onProgress` is called now and then with how much of it
 * was read, from 0 to 1, and may throw to end the reading.
 */
export async function followFile(
  path: string,
  onProgress: (done: number) => void,
): Promise<FollowedImport | undefined> {
  if (!path.endsWith('.jsonl') || (await hasFilesBeside(path))) return undefined;
  // What later lines say of earlier ones is mostly said at the beginning; else the file is looked through first.
  return (await begun(path, onProgress, false)) ?? (await begun(path, onProgress, true));
}

async function begun(
  path: string,
  onProgress: (done: number) => void,
  isLookedThrough: boolean,
): Promise<FollowedImport | undefined> {
  const { size, mtimeMs } = await stat(path);
  const followed = FollowedFile.open(path);
  if (!followed) return undefined;
  const spool = new Spool();
  const giveUp = () => {
    spool.close();
    followed.close();
  };
  try {
    if (isLookedThrough) followed.lookAhead();
    const records = new SpooledRecords(spool);
    const keep = (gained: Gained) => {
      for (const record of gained.records) records.add(record);
      return gained;
    };
    let gained = keep(followed.readOn());
    while (gained.isMore) {
      onProgress(followed.bytes / size);
      await yieldToEventLoop();
      gained = keep(followed.readOn());
    }
    if (followed.isWaiting && Date.now() - mtimeMs > QUIET_MS) keep(followed.settle());
    if (followed.isVoid || !hasMessage(records)) {
      giveUp();
      return undefined;
    }
    const { format, id, title, facts, problems } = followed;
    const conversation = { id, title, records, ...(facts && { facts }) };
    return {
      ...{ format: format.name, conversations: [conversation], problems, readWith: [] },
      ...{ followed, close: () => spool.close() },
    };
  } catch (error) {
    giveUp();
    throw error;
  }
}

/** Whether somebody says something in a conversation. */
export function hasMessage(records: Iterable<ImportedRecord>): boolean {
  for (const { type } of records) if (type === 'message') return true;
  return false;
}
