import type { ReadRecord, Transcript } from '../../core/ports/transcript.js';

/** The records at positions, as far as they exist; read at once where the transcript can. */
export async function recordsAt(
  transcript: Pick<Transcript, 'read' | 'readAt'>,
  positions: Iterable<number>,
): Promise<ReadonlyMap<number, ReadRecord>> {
  const wanted = [...new Set(positions)].sort((a, b) => a - b);
  if (transcript.readAt) return await transcript.readAt(wanted);
  const records = new Map<number, ReadRecord>();
  for (const position of wanted) {
    const [record] = await transcript.read(position, position + 1);
    if (record) records.set(position, record);
  }
  return records;
}
