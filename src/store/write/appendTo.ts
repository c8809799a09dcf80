import type { LogRecord, UnknownRecord } from '../../core/record.js';
import type { Log } from '../../core/ports/log.js';
import { spillLargeTexts } from './spillFiles.js';
import { encodeBatch, releaseBatch } from './journalBatch.js';
import { JournalFiles } from './journalFiles.js';
import { batchesOf } from './importConversation.js';
import { numberedFrom } from './importSession.js';
import { takeOver } from './resumeConversation.js';
import type { ConversationPaths } from '../files/storePaths.js';

/** The size of a batch, which is one write, in bytes. */
const BATCH_BYTES = 1024 * 1024;

/** The end of a conversation that is written by the thread that asked for it. */
export interface ConversationEnd {
  /** How many records were added. */
  readonly records: number;
  /** Adds records, numbered behind those that are there. Rejects with errors of the file system. */
  append(records: readonly (LogRecord | UnknownRecord)[]): Promise<void>;
  /** Lets others write it. What was added may not survive a power cut yet. */
  close(): Promise<void>;
}

/**
 * Takes over a stored conversation of a passing store to add much to it at once, on a thread that is not the one that shows it:
 * others read what comes as they read what another process writes. Rejects with an error for a person where it cannot be
 * written.
 */
export async function appendTo(paths: ConversationPaths, log: Log): Promise<ConversationEnd> {
  const taken = await takeOver(paths, log);
  if ('refused' in taken) throw new Error(taken.refused);
  const { lock, lines, last } = taken;
  const files = new JournalFiles({ paths, created: Date.now(), log, seals: false }, last);
  const before = lines.index.maxSeq;
  let count = 0;
  return {
    get records() {
      return count;
    },
    append: async (records) => {
      for (const batch of batchesOf(numberedFrom(records, paths.id, before + count), BATCH_BYTES)) {
        const whole: LogRecord[] = [];
        for (const record of batch) whole.push(await spillLargeTexts(record, paths));
        const encoded = encodeBatch(whole, log);
        await files.append(encoded.bytes);
        releaseBatch(encoded);
        count += batch.length;
      }
    },
    close: async () => {
      try {
        await files.close();
      } finally {
        await lock.release();
      }
    },
  };
}
