import type { ReadRecord, Transcript } from '../../core/ports/transcript.js';
import type { SpillRef } from '../../core/record.js';
import { refsOf, replaceTexts } from '../format/spillTexts.js';
import { readSpilled } from './readSpilled.js';
import type { ConversationPaths } from '../files/storePaths.js';

/** How many records are read at once. */
const PAGE = 500;

/**
 * The records of a transcript, or those at `positions`, in order, with spilled texts restored. Reads page by page, one
 * page ahead, and no page of which nothing is wanted; ends early when the signal is aborted.
 */
export async function* restoredRecords(
  transcript: Transcript,
  positions?: readonly number[],
  signal?: AbortSignal,
): AsyncGenerator<ReadRecord, void, undefined> {
  const wanted = positions && new Set(positions);
  const end = positions ? (positions.at(-1) ?? -1) + 1 : transcript.length;
  let next = 0;
  /** Where the next page with something that is wanted begins, from a position on. */
  const pageFrom = (position: number) => {
    while (positions && (positions[next] ?? Infinity) < position) next++;
    return positions ? (positions[next] ?? Infinity) : position;
  };
  let start = pageFrom(0);
  let reading = readPage(transcript, start, end);
  while (start < end) {
    const page = await reading;
    if (signal?.aborted === true) return;
    const from = start;
    start = pageFrom(start + PAGE);
    reading = readPage(transcript, start, end);
    for (const [at, record] of page.entries()) {
      if (wanted && !wanted.has(from + at)) continue;
      yield (await restoreTexts(record, transcript)).record;
    }
  }
}

/** The page at `start`; its promise may be abandoned without an unhandled rejection. */
function readPage(transcript: Transcript, start: number, end: number): Promise<readonly ReadRecord[]> {
  if (start >= end) return Promise.resolve([]);
  const page = transcript.read(start, Math.min(start + PAGE, end));
  page.catch(() => undefined);
  return page;
}

/** A record with its spilled texts restored, and the references whose texts are missing or changed and so stay cut. */
export interface RestoredRecord {
  readonly record: ReadRecord;
  readonly missing: readonly SpillRef[];
}

/** Puts spilled texts back into a record; gives the same record where it has none. */
export async function restoreTexts(
  record: ReadRecord,
  transcript: Pick<Transcript, 'readSpill'>,
): Promise<RestoredRecord> {
  const refs = refsOf(record);
  if (record.type !== 'message' || refs.length === 0) return { record, missing: [] };
  const texts = new Map<SpillRef, string>();
  for (const ref of refs) {
    const text = await transcript.readSpill(ref.path);
    if (text !== undefined) texts.set(ref, text);
  }
  const { message } = record as Extract<ReadRecord, { type: 'message' }>;
  const whole = replaceTexts(message, [...texts.keys()], (ref, cut) => texts.get(ref) ?? cut);
  const missing = refs.filter((ref) => !texts.has(ref));
  const restored: Record<string, unknown> = { ...record, message: whole };
  if (missing.length > 0) restored.spill = missing;
  else delete restored.spill;
  return { record: restored as unknown as ReadRecord, missing };
}

/** A record with its spilled texts restored, as far as their files can be read; the record itself where it has none. */
export async function restoredRecord(record: ReadRecord, paths: ConversationPaths): Promise<ReadRecord> {
  if (!('spill' in record)) return record;
  const readSpill = async (path: string) => {
    const ref = refsOf(record).find((other) => other.path === path);
    const read = ref && (await readSpilled(paths, ref));
    return read && 'text' in read ? read.text : undefined;
  };
  return (await restoreTexts(record, { readSpill })).record;
}
