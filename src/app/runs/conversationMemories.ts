import { BoundedMap } from '../../core/boundedMap.js';
import { SeenFiles } from '../../agents/tools/files/seenFiles.js';
import type { BegunScripts } from '../models/endpointOptions.js';

/** What outlives a run, because it belongs to the conversation's session; never written to disk. */
export interface ConversationMemory {
  /** What a person allowed for this session. */
  readonly remembered: Set<string>;
  /** The files that the agents have read and written. */
  readonly seen: SeenFiles;
  readonly scripts: BegunScripts;
}

/** Far more conversations than anybody continues at the same time. */
const MAX_CONVERSATIONS = 100;

/**
 * The memories of the conversations that this window has run. A conversation that was evicted starts over: its
 * approvals are asked for again.
 */
export class ConversationMemories {
  readonly #memories = new BoundedMap<string, ConversationMemory>(MAX_CONVERSATIONS);

  /** The memory of a conversation, an empty one where it has none yet. */
  of(conversation: string): ConversationMemory {
    return this.#memories.use(conversation, () => ({
      remembered: new Set(),
      seen: new SeenFiles(),
      scripts: new Map(),
    }));
  }
}
