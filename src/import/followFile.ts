import { stat } from 'node:fs/promises';
import { yieldToEventLoop } from '../core/yieldToEventLoop.js';
import { FollowedFile, type Gained } from './followedFile.js';
import { HELD_FILE_BYTES } from './fileEntries.js';
import { filesBeside, filesRead, isLarger, type NamedFile, type OpenedFile } from './importFile.js';
import { QUIET_MS } from './quietTime.js';
import type { ImportedRecord } from './importResult.js';
import { Spool } from './spool/spool.js';
import { SpooledRecords } from './spool/spooledRecords.js';

/** A file that was read as far as it is written, and that can be read on from there. */
export interface FollowedImport extends OpenedFile {
  readonly followed: FollowedFile;
  readonly path: string;
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
  if (!path.endsWith('.jsonl')) return undefined;
  const beside = await filesBeside(path);
  // What is gathered is held.
  if (beside.length > 0 && (await isLarger([path, ...beside.map((file) => file.path)], HELD_FILE_BYTES)))
    return undefined;
  // What later lines say of earlier ones is mostly said at the beginning; else the file is looked through first.
  return (await begun(path, beside, onProgress, false)) ?? (await begun(path, beside, onProgress, true));
}

/**
 * What a file that is followed has gained: where `isQuiet`, what has waited; where `isBeside`, files beside it may have
 * gained something, or there may be more of them.
 */
export async function gainedBy(
  { followed, path }: FollowedImport,
  { isQuiet, isBeside }: GainOptions,
): Promise<Gained & { readonly isVoid: boolean; readonly readWith: readonly string[] }> {
  if (isBeside) followed.beside = await filesRead(path);
  const gained = isQuiet ? followed.settle() : followed.readOn();
  return { ...gained, isVoid: followed.isVoid, readWith: followed.beside.map((file) => file.path) };
}

/** Why it is asked what a file has gained. */
export interface GainOptions {
  readonly isQuiet: boolean;
  readonly isBeside: boolean;
}

async function begun(
  path: string,
  beside: readonly NamedFile[],
  onProgress: (done: number) => void,
  isLookedThrough: boolean,
): Promise<FollowedImport | undefined> {
  const { size, mtimeMs } = await stat(path);
  const followed = FollowedFile.open(path);
  if (!followed) return undefined;
  if (!beside.every((file) => followed.grows(file))) {
    followed.close();
    return undefined;
  }
  const isGathered = beside.length > 0;
  const spool = new Spool();
  const giveUp = () => {
    spool.close();
    followed.close();
  };
  try {
    followed.beside = beside;
    if (isGathered) followed.gather();
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
    if (isGathered) keep(followed.gathered());
    if (followed.isWaiting && Date.now() - mtimeMs > QUIET_MS) keep(followed.settle());
    if (followed.isVoid || !hasMessage(records)) {
      giveUp();
      return undefined;
    }
    const { format, id, title, facts, problems } = followed;
    const conversation = { id, title, records, ...(facts && { facts }) };
    return {
      ...{
        format: format.name,
        conversations: [conversation],
        problems,
        readWith: beside.map((file) => file.path),
      },
      ...{ followed, path, close: () => spool.close() },
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
