import { firstCodePoints } from '../core/text.js';
import type { ApprovalAnswer } from '../ports/approvals.js';
import type { ApprovalCard } from '../protocol/panelState.js';
import { MESSAGE_CHARACTERS } from '../protocol/protocol.js';
import type { LiveRuns } from './ports.js';
import { clipName } from './rows/rowPlace.js';

/** A subject that is longer is not shown in the page and cannot be approved there. */
const SUBJECT_LIMIT = MESSAGE_CHARACTERS / 2;
const MOST_CARDS = 20;
/** What is longer names very long paths, in code points. */
const REASON_LIMIT = 2_000;

/**
 * The approvals that a page shows. Each carries a nonce that is made when the page is given it, is good for one
 * answer, and dies with the page: nothing but a prompt that can be seen can be answered.
 */
export class ApprovalDesk {
  readonly #runs: LiveRuns;
  readonly #conversation: string;
  #nonces = new Map<string, string>();

  constructor(runs: LiveRuns, conversation: string) {
    this.#runs = runs;
    this.#conversation = conversation;
  }

  /** Forgets all nonces: another page begins. */
  reset(): void {
    this.#nonces = new Map();
  }

  /** What waits now, as the page is to show it. */
  cards(): ApprovalCard[] {
    const waiting = this.#runs.pendingApprovals(this.#conversation).slice(0, MOST_CARDS);
    const nonces = new Map<string, string>();
    let characters = 0;
    const cards = waiting.map(({ id, request }) => {
      const nonce = this.#nonces.get(id) ?? crypto.randomUUID();
      characters += request.subject.length;
      const isShown = characters <= SUBJECT_LIMIT;
      if (isShown) nonces.set(id, nonce);
      return {
        id,
        nonce: isShown ? nonce : '',
        agent: clipName(request.call.agent),
        tool: clipName(request.toolName),
        title: clipName(request.title),
        ...(isShown && { subject: request.subject }),
        characters: request.subject.length,
        ...(request.mustAsk !== undefined && { mustAsk: firstCodePoints(request.mustAsk, REASON_LIMIT) }),
      };
    });
    this.#nonces = nonces;
    return cards;
  }

  /** Throws with words for a person where the prompt is not, or no longer, there to be answered. */
  answer(id: string, nonce: string, answer: ApprovalAnswer): void {
    if (nonce === '' || this.#nonces.get(id) !== nonce) throw new Error('This question is no longer open.');
    this.#nonces.delete(id);
    if (!this.#runs.answerApproval(id, answer)) throw new Error('This question was answered elsewhere.');
  }
}
