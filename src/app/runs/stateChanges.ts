import type { CatalogEntry, ConversationState } from '../../core/ports/transcript.js';

/** Finds the conversations whose state has changed between two looks at the catalog. */
export class StateChanges {
  #states: ReadonlyMap<string, ConversationState> = new Map();

  /** The conversations that were there at the last look in another state. */
  update(entries: readonly Pick<CatalogEntry, 'conversation' | 'state'>[]): readonly string[] {
    const before = this.#states;
    this.#states = new Map(entries.map(({ conversation, state }) => [conversation, state]));
    return [...this.#states].flatMap(([conversation, state]) => {
      const known = before.get(conversation);
      return known === undefined || known === state ? [] : [conversation];
    });
  }
}
