import type { CallNode } from './callTree.js';
import type { Facts } from './facts.js';
import { isOutput } from './messageSize.js';
import { UNKNOWN_ROLE } from './transcriptItem.js';

interface OpenAnswer<T> {
  readonly call: CallNode;
  /** Of its first message. */
  readonly first: T;
  isReported: boolean;
}

/** An answer of which nothing is reported: a request of unknown cost, where answers are what counts. */
export type UnreportedAnswer<T> = Pick<OpenAnswer<T>, 'call' | 'first'>;

/** Finds the answers of which nothing is reported; what is said in several messages in a row is one answer. */
export class OpenAnswers<T> {
  /** The answer that each call is giving, by the call's index. */
  readonly #answers = new Map<number, OpenAnswer<T>>();

  /** Takes a record and what is to be known of it; gives the answer that ends with it, if nothing of that is reported. */
  next({ role, usage }: Facts, call: CallNode, of: T): UnreportedAnswer<T> | undefined {
    if (role === undefined) return undefined;
    const before = this.#answers.get(call.index);
    if (isOutput(role ?? UNKNOWN_ROLE)) {
      const isReported = usage !== undefined;
      if (before) before.isReported ||= isReported;
      else this.#answers.set(call.index, { call, first: of, isReported });
      return undefined;
    }
    this.#answers.delete(call.index);
    return before?.isReported === false ? before : undefined;
  }

  /** Those that nothing follows yet. */
  get last(): readonly UnreportedAnswer<T>[] {
    return [...this.#answers.values()].filter(({ isReported }) => !isReported);
  }
}
