import { onAbort } from '../../core/abort.js';
import { Emitter, type Disposable, type Event, type ListenerFailure } from '../../core/event.js';
import type { ApprovalAnswer, ApprovalPrompt } from '../../core/ports/approvals.js';
import { ApprovalNumbers } from '../../agents/loop/approvalNumbers.js';

/** A question that waits for a person, or waited until now. */
export interface PendingApproval {
  readonly conversation: string;
  readonly prompt: ApprovalPrompt;
}

/** A question was asked, or needs no answer any more. */
export interface ApprovalChange extends PendingApproval {
  readonly kind: 'asked' | 'settled';
}

interface PendingQuestion extends PendingApproval {
  readonly settle: (answer: ApprovalAnswer | undefined) => void;
}

/**
 * The approvals that wait for a person, and the one way to answer them: notices, panels and status read from here, and
 * each question is answered once.
 */
export class ApprovalService implements Disposable {
  /** For whoever asks: no two questions that wait at the same time have the same number. */
  readonly numbers = new ApprovalNumbers();
  readonly #waiting = new Map<string, PendingQuestion>();
  readonly #changed: Emitter<ApprovalChange>;

  constructor(onListenerFailure: ListenerFailure) {
    this.#changed = new Emitter(onListenerFailure);
  }

  /** Fires after a question was asked and after it was settled. */
  get onDidChange(): Event<ApprovalChange> {
    return this.#changed.event;
  }

  /** How many wait, in all conversations. */
  get size(): number {
    return this.#waiting.size;
  }

  /** The question with this id; undefined where it no longer waits. */
  find(id: string): PendingApproval | undefined {
    return this.#waiting.get(id);
  }

  /** The approvals that wait in a conversation, oldest first. */
  pending(conversation: string): readonly ApprovalPrompt[] {
    return [...this.#waiting.values()]
      .filter((waiting) => waiting.conversation === conversation)
      .map(({ prompt }) => prompt);
  }

  /** Asks the person for approval; undefined when the run ended first. */
  ask(conversation: string, prompt: ApprovalPrompt): Promise<ApprovalAnswer | undefined> {
    const { signal } = prompt.request;
    if (signal.aborted) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const settle = (answer: ApprovalAnswer | undefined) => {
        leave();
        resolve(answer);
      };
      this.#waiting.set(prompt.id, { conversation, prompt, settle });
      const leave = onAbort(signal, () => this.#settle(prompt.id, undefined));
      this.#changed.fire({ kind: 'asked', conversation, prompt });
    });
  }

  /** Answers a waiting approval; false where it no longer waits. */
  answer(id: string, answer: ApprovalAnswer): boolean {
    return this.#settle(id, answer);
  }

  /** Nobody answers any more: what waits is settled without an answer. */
  dispose(): void {
    for (const id of Array.from(this.#waiting.keys())) this.#settle(id, undefined);
    this.#changed.dispose();
  }

  #settle(id: string, answer: ApprovalAnswer | undefined): boolean {
    const waiting = this.#waiting.get(id);
    if (!waiting) return false;
    this.#waiting.delete(id);
    waiting.settle(answer);
    const { conversation, prompt } = waiting;
    this.#changed.fire({ kind: 'settled', conversation, prompt });
    return true;
  }
}
