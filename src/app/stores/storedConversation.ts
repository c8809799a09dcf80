import type { CatalogEntry } from '../../core/ports/transcript.js';
import type { TranscriptStore } from '../../store/transcriptStore.js';

/** A store and its folder. */
export interface OpenStore {
  readonly store: TranscriptStore;
  /** Absolute. */
  readonly root: string;
}

/** A conversation and the store that keeps it. */
export interface StoredConversation extends OpenStore {
  readonly entry: CatalogEntry;
}
