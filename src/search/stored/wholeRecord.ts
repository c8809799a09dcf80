import type { ReadRecord } from '../../core/ports/transcript.js';
import { restoreTexts } from '../../store/read/restoreTexts.js';
import { readSpilled } from '../../store/read/readSpilled.js';
import { refsOf } from '../../store/format/spillRefs.js';
import type { ConversationPaths } from '../../store/files/storePaths.js';

/** A record with its spilled texts restored, as far as their files can be read; the record itself where it has none. */
export async function wholeRecord(record: ReadRecord, paths: ConversationPaths): Promise<ReadRecord> {
  if (!('spill' in record)) return record;
  const readSpill = async (path: string) => {
    const ref = refsOf(record).find((other) => other.path === path);
    const read = ref && (await readSpilled(paths, ref));
    return read && 'text' in read ? read.text : undefined;
  };
  return (await restoreTexts(record, { readSpill })).record;
}
