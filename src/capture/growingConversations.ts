import type { LogRecord } from '../core/record.js';
import type { ImportedRecord } from '../import/reading/importResult.js';
import type { Journal } from '../core/ports/journal.js';
import type { TranscriptStore } from '../store/transcriptStore.js';

/** A conversation to which records are added as they come. */
interface Growing {
  readonly journal: Journal;
  seq: number;
}

/** The conversations of a store that grow with the files that they are read from, each kept open for writing. */
export class GrowingConversations {
  readonly #open = new Map<string, Promise<Growing>>();

  /**
   * Adds records behind those that a conversation has; those who read it see them at once, the disk gets them later. Rejects
   * with an error for a person where it cannot be written, and where more waits for the disk than may.
   */
  async add(store: TranscriptStore, conversation: string, records: readonly ImportedRecord[]): Promise<void> {
    const opening = this.#open.get(conversation) ?? begin(store, conversation);
    this.#open.set(conversation, opening);
    const growing = await opening.catch((error: unknown) => {
      this.#open.delete(conversation);
      throw error;
    });
    for (const record of records) {
      growing.journal.append({ ...record, conversation, seq: ++growing.seq } as LogRecord);
      if (growing.journal.state.full !== true) continue;
      const { problem } = await growing.journal.flush();
      if (problem !== undefined) throw new Error(problem);
    }
  }

  /** Nothing more is added to a conversation; resolves once all of it is on the disk. */
  async end(conversation: string): Promise<void> {
    const opening = this.#open.get(conversation);
    this.#open.delete(conversation);
    await (await opening)?.journal.close();
  }
}

async function begin(store: TranscriptStore, conversation: string): Promise<Growing> {
  const resumed = await store.resumeConversation(conversation);
  if ('refused' in resumed) throw new Error(resumed.refused);
  return { journal: resumed.journal, seq: resumed.lastSeq };
}
