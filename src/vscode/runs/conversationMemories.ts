import { SeenFiles } from '../../tools/files/seenFiles.js';
import type { BegunScripts } from '../models/modelOffer.js';

/** What outlives a run, because it belongs to the conversation's session; never written to disk. */
export interface ConversationMemory {
  /** What a person allowed for this session. */
  readonly remembered: Set<string>;
  /** The files that the agents have read and written. */
  readonly seen: SeenFiles;
  readonly scripts: BegunScripts;
}

/** Far more conversations than anybody continues at the same time. */
const AT_MOST = 100;

/**
 * The memories of the conversations that this window has run. A conversation that was evicted starts over: its
 * approvals are asked for again.
 */
export class ConversationMemories {
  readonly #memories = new Map<string, ConversationMemory>();

  /** The memory of a conversation, an empty one where it has none yet. */
  of(conversation: string): ConversationMemory {
    const memory = this.#memories.get(conversation) ?? {
      remembered: new Set(),
      seen: new SeenFiles(),
      scripts: new Map(),
    };
    this.#memories.delete(conversation);
    this.#memories.set(conversation, memory);
    for (const oldest of this.#memories.keys()) {
      if (this.#memories.size <= AT_MOST) break;
      this.#memories.delete(oldest);
    }
    return memory;
  }
}
