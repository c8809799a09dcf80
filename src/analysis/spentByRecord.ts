import { UNKNOWN_COST, type RequestCost } from '../core/cost.js';
import type { CallNode } from './callTree.js';
import type { Facts } from './facts.js';
import { isOutput } from './messageSize.js';
import { RequestPairing } from './requestPairing.js';
import type { ReportedBy } from './tokens.js';
import { UNKNOWN_ROLE } from './transcriptItem.js';
import type { Reading } from './transcriptReader.js';

/** What a record adds to a sum of costs, and of how many requests that is. */
export interface Spent {
  readonly cost: RequestCost;
  readonly requests: number;
}

type Reporter = keyof ReportedBy<unknown>;

interface Told extends Spent {
  readonly call: CallNode;
  readonly by: Reporter;
}

/** What is said in several messages in a row is one answer. */
interface Answer {
  readonly call: CallNode;
  readonly position: number;
  isReported: boolean;
}

/**
 * Divides what a transcript cost among its records, so that the sum over all of them is that of every view: each request
 * counts once, at the message that answers it, else at its own record. An answer of which nothing is reported is of unknown
 * cost, where answers are what counts.
 */
export class SpentByRecord {
  readonly #told = new Map<number, Told>();
  readonly #pairing = new RequestPairing();
  /** The position of the reply to a request, by that of the request. */
  readonly #replies = new Map<number, number>();
  /** The answer that each call is giving, by the call's index, and all that have no usage. */
  readonly #answers = new Map<number, Answer>();
  readonly #unreported: Answer[] = [];

  /** Adds a record; `cost` is what `addRequest` gave for it. */
  add({ facts, call, position }: Reading, cost: RequestCost | undefined): void {
    const by = reporterOf(facts);
    if (cost && by && (by === 'requests' || facts.usage)) {
      const requests = by === 'requests' ? (facts.usage?.requests ?? 1) : 1;
      this.#told.set(position, { call, by, cost, requests });
    }
    this.#pair({ facts, call, position });
    if (facts.role === undefined) return;
    const isReported = facts.usage !== undefined;
    if (isOutput(facts.role ?? UNKNOWN_ROLE)) this.#goOn({ call, position, isReported });
    else this.#endAnswer(call.index);
  }

  /** What each record adds, by its position, as far as they are added; more may be added afterwards. */
  finish(): ReadonlyMap<number, Spent> {
    const given = [...this.#answers.values()].filter(({ isReported }) => !isReported);
    const spent = new Map<number, Spent>();
    for (const [position, { call, by, cost, requests }] of this.#told)
      if (by === reporterFor(call)) spent.set(this.#replies.get(position) ?? position, { cost, requests });
    for (const { call, position } of [...this.#unreported, ...given])
      if (reporterFor(call) === 'messages') spent.set(position, { cost: UNKNOWN_COST, requests: 1 });
    return spent;
  }

  #pair({ facts, call, position }: Pick<Reading, 'facts' | 'call' | 'position'>): void {
    if (facts.type === 'request' && !facts.isFailure) {
      const reply = this.#pairing.request(call.index, position);
      if (reply !== undefined) this.#replies.set(position, reply);
    }
    if (facts.role !== 'assistant') return;
    const request = this.#pairing.reply(call.index, position);
    if (request !== undefined) this.#replies.set(request, position);
  }

  #goOn(answer: Answer): void {
    const begun = this.#answers.get(answer.call.index);
    if (begun) begun.isReported ||= answer.isReported;
    else this.#answers.set(answer.call.index, answer);
  }

  #endAnswer(call: number): void {
    const answer = this.#answers.get(call);
    this.#answers.delete(call);
    if (answer?.isReported === false) this.#unreported.push(answer);
  }
}

function reporterOf({ type, role }: Facts): Reporter | undefined {
  if (type === 'request') return 'requests';
  if (type === 'callEnd') return 'end';
  return role === undefined ? undefined : 'messages';
}

/** The kind of records of which a call's costs are made. */
function reporterFor({ tokens, costs }: CallNode): Reporter | undefined {
  return tokens.reporter ?? costs.reporter;
}
