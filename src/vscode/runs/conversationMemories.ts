import { SeenFiles } from '../../tools/files/seenFiles.js';
import type { BegunScripts } from '../models/modelOffer.js';

/** What outlives a run, because it belongs to the session of its conversation; it is never written to disk. */
export interface ConversationMemory {
  /** What a person allowed for this session. */
  readonly remembered: Set<string>;
  /** Which files the agents have seen and written. */
  readonly seen: SeenFiles;
  readonly scripts: BegunScripts;
}

/** Far more than anybody goes on with at the same time. */
const AT_MOST = 100;

/**
 * The memories of the conversations that this window has run. A conversation that others have pushed out begins
 * anew: then what was allowed is asked again.
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
