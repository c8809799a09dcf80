import { Emitter } from '../../src/core/event.js';
import type { Drafts, ReturnedText } from '../../src/page/panel/ports.js';

/** What was typed into chat boxes, kept in memory. */
export class MemoryDrafts implements Drafts {
  readonly #kept = new Map<string, string>();
  readonly #returned = new Emitter<ReturnedText>((error) => {
    throw error;
  });

  get onDidReturn() {
    return this.#returned.event;
  }

  draftOf(conversation: string): Promise<string> {
    return Promise.resolve(this.#kept.get(conversation) ?? '');
  }

  keep(conversation: string, draft: string): Promise<void> {
    this.#kept.set(conversation, draft);
    return Promise.resolve();
  }

  /** A text that waited could not be said. */
  giveBack(conversation: string, text: string, problem?: string): void {
    this.#returned.fire({ conversation, text, ...(problem !== undefined && { problem }) });
  }
}
