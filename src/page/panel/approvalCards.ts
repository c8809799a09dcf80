import { t } from '../../core/l10n.js';
import { clipName } from '../../query/numbers/values.js';
import { firstCodePoints } from '../../core/text.js';
import { MAX_SHOWN_SUBJECT, type ApprovalAnswer } from '../../core/ports/approvals.js';
import type { ApprovalCard } from '../protocol/panelState.js';
import type { RequestHandlers } from '../protocol/requestServer.js';
import type { PendingApprovals } from './ports.js';

const MAX_CARDS = 20;
/** The longest reason shown, in code points; only very long paths make one longer. */
const MAX_REASON = 2_000;

/**
 * The approvals that a page shows. Each has a nonce that is created when it is sent to the page, is valid for one answer
 * and expires with the page, so that only a visible prompt can be answered.
 */
export class ApprovalCards {
  readonly #approvals: PendingApprovals;
  readonly #conversation: string;
  #nonces = new Map<string, string>();
  /** The cards as they were last given. */
  #given = '[]';

  /** Adds the handler of the page's answers. */
  constructor(handlers: RequestHandlers, approvals: PendingApprovals, conversation: string) {
    this.#approvals = approvals;
    this.#conversation = conversation;
    handlers.add('answerApproval', ({ id, nonce, approved, remember, reason }) => {
      this.#answer(id, nonce, { approved, remember, ...(reason !== undefined && { reason }) });
      return {};
    });
  }

  /** Invalidates all nonces, for a new page. */
  reset(): void {
    this.#nonces = new Map();
  }

  /** The cards, where they are others than those given last. */
  changed(): ApprovalCard[] | undefined {
    const before = this.#given;
    const cards = this.cards();
    return this.#given === before ? undefined : cards;
  }

  /** The approvals that wait now, as cards for the page. */
  cards(): ApprovalCard[] {
    const waiting = this.#approvals.pending(this.#conversation).slice(0, MAX_CARDS);
    const nonces = new Map<string, string>();
    let characters = 0;
    const cards = waiting.map(({ id, request }) => {
      const nonce = this.#nonces.get(id) ?? crypto.randomUUID();
      characters += request.subject.length;
      const { isOfRun = false } = request;
      const isShown = characters <= MAX_SHOWN_SUBJECT;
      if (isShown) nonces.set(id, nonce);
      return {
        id,
        nonce: isShown ? nonce : '',
        agent: clipName(request.call.agent),
        tool: isOfRun ? '' : clipName(request.toolName),
        title: isOfRun ? t`The run is held` : clipName(request.title),
        ...(isShown && { subject: request.subject }),
        characters: request.subject.length,
        ...(isOfRun && { isOfRun }),
        ...(request.askReason !== undefined && { askReason: firstCodePoints(request.askReason, MAX_REASON) }),
      };
    });
    this.#nonces = nonces;
    this.#given = JSON.stringify(cards);
    return cards;
  }

  /** Answers a prompt; throws an error for a person where it is unknown or no longer waits. */
  #answer(id: string, nonce: string, answer: ApprovalAnswer): void {
    if (nonce === '' || this.#nonces.get(id) !== nonce) throw new Error(t`This question is no longer open.`);
    this.#nonces.delete(id);
    if (!this.#approvals.answer(id, answer)) throw new Error(t`This question was answered elsewhere.`);
  }
}
