import { createHash } from 'node:crypto';
import { textOf } from '../../src/core/message.js';
import { silentLog } from '../../src/core/ports/log.js';
import { pathsOf } from '../../src/store/files/storePaths.js';
import { sealReport } from '../../src/store/write/sealReport.js';
import { TranscriptStore } from '../../src/store/transcriptStore.js';
import { restoreTexts } from '../../src/store/read/restoredRecords.js';

/** What a conversation holds after a fault, once it was opened and repaired. */
export interface Findings {
  readonly records: number;
  /** Acknowledged records that are missing or read differently. */
  readonly lost: number;
  /** Lines that cannot be read after the repair. */
  readonly damaged: number;
  /** Ids or seqs that come twice. */
  readonly duplicates: number;
}

/** Opens a conversation as the next start would, and compares it with what was acknowledged. */
export async function inspect(
  root: string,
  conversation: string,
  acknowledged: ReadonlyMap<string, string>,
): Promise<Findings> {
  const store = await TranscriptStore.open({ root, log: silentLog, onProblem: () => undefined });
  try {
    const resumed = await store.resumeConversation(conversation);
    // Killed before its first record was written: there may be nothing to resume, and then nothing was acknowledged.
    if ('refused' in resumed && acknowledged.size > 0) throw new Error(resumed.refused);
    if ('journal' in resumed) await resumed.journal.close();
    await checkSeals(root, conversation);
    const transcript = await store.openTranscript(conversation).catch(() => undefined);
    const hashes = new Map<string, string>();
    const seqs = new Set<number>();
    let duplicates = 0;
    const length = transcript?.length ?? 0;
    for (let at = 0; transcript && at < length; at += 500) {
      for (const read of await transcript.read(at, at + 500)) {
        const { record } = await restoreTexts(read, transcript);
        if (hashes.has(record.id) || seqs.has(record.seq)) duplicates++;
        seqs.add(record.seq);
        hashes.set(record.id, createHash('sha1').update(contentOf(record)).digest('hex'));
      }
    }
    const lost = [...acknowledged].filter(([id, hash]) => hashes.get(id) !== hash).length;
    return { records: length, lost, damaged: transcript?.damaged.length ?? 0, duplicates };
  } finally {
    await store.close();
  }
}

/** No fault makes a seal say that somebody changed something. */
export async function checkSeals(root: string, conversation: string): Promise<void> {
  const { breaks, gaps } = await sealReport(pathsOf(root, conversation));
  if (breaks.length + gaps.length > 0)
    throw new Error(`A false alarm of the seal: ${JSON.stringify([...breaks.slice(0, 3), ...gaps])}`);
}

function contentOf(record: object): string {
  return 'message' in record ? textOf((record.message as { content?: unknown }).content) : '';
}
