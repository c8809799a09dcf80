import type { SpillRef } from '../../core/record.js';
import type { ReadRecord, Transcript } from '../../core/ports/transcript.js';
import { refsOf } from '../format/spillRefs.js';
import { replaceTexts } from '../format/spillTexts.js';

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
