import type { CallSite } from '../../core/record.js';
import { textOf } from '../../core/message.js';
import type { ConversationBuilder, MessageDetails } from '../building/conversationBuilder.js';
import type { Fields } from '../reading/fields.js';

/**
 * Records the messages of requests that each repeat the whole history: every message once, however often it is sent.
 * The same text twice in one history is two messages.
 */
export class RepeatedHistory {
  readonly #builder: ConversationBuilder;
  readonly #callSite: CallSite;
  readonly #recorded = new Map<string, number>();
  #answer: { readonly message: Fields; readonly details: MessageDetails } | undefined;

  constructor(builder: ConversationBuilder, callSite: CallSite) {
    this.#builder = builder;
    this.#callSite = callSite;
  }

  /** Adds the whole history of one request; `rawOf` gives the value of the file that a message was made of. */
  addHistory(
    messages: readonly Fields[],
    details: MessageDetails = {},
    rawOf: (message: Fields) => unknown = () => undefined,
  ): void {
    const sent = new Map<string, number>();
    const fresh = messages.filter((message) => {
      const key = keyOf(message);
      const count = (sent.get(key) ?? 0) + 1;
      sent.set(key, count);
      return count > (this.#recorded.get(key) ?? 0);
    });
    const answer = this.#answer;
    const again = answer && fresh.find((message) => isSame(message, answer.message));
    if (!again) this.finish();
    this.#answer = undefined;
    for (const message of fresh)
      this.#add(message, {
        ...details,
        ...(message === again && answer?.details),
        raw: rawOf(message) ?? details.raw,
      });
  }

  /**
   * Adds the answer to a request. It is recorded only once it is clear that the next request does not repeat it: there
   * it may be more complete, with tool calls that a log of answers omits.
   */
  expect(message: Fields, details: MessageDetails = {}): void {
    this.finish();
    this.#answer = { message, details };
  }

  /** Records an answer that no further request repeats. */
  finish(): void {
    if (this.#answer) this.#add(this.#answer.message, this.#answer.details);
    this.#answer = undefined;
  }

  #add(message: Fields, details: MessageDetails): void {
    const key = keyOf(message);
    this.#recorded.set(key, (this.#recorded.get(key) ?? 0) + 1);
    this.#builder.message(this.#callSite, message, details);
  }
}

function isSame(a: Fields, b: Fields): boolean {
  return a.role === b.role && textOf(a.content).trim() === textOf(b.content).trim();
}

/** Identifies a message; null, '' and absent content are equal, because APIs convert one into the other. */
function keyOf({ role, content, tool_calls, tool_call_id }: Fields): string {
  return JSON.stringify([role, content === '' ? null : content, tool_calls, tool_call_id]);
}
