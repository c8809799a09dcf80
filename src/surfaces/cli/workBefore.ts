import type { Reading } from '../../query/numbers/transcriptReader.js';
import { isPromptRole } from '../../query/numbers/transcriptItem.js';
import { widenSpan } from '../../query/numbers/callTree.js';

/** What a session holds before its first prompt, as a session does that goes on from another or was cut at its beginning. */
export class WorkBefore {
  /** Of agents and their tools. */
  messages = 0;
  toolCalls = 0;
  errors = 0;
  /** In milliseconds since 1970; 0 where no time is known. */
  readonly span = { startedAt: 0, endedAt: 0 };
  #isOver = false;

  add({ facts, call, toolCalls, isNewFailure }: Reading): void {
    this.#isOver ||= call.parent === undefined && isPromptRole(facts.role);
    if (this.#isOver) return;
    this.toolCalls += toolCalls;
    if (isNewFailure) this.errors++;
    if (facts.role !== 'assistant' && facts.role !== 'tool') return;
    this.messages++;
    widenSpan(this.span, facts);
  }
}
