import { UNKNOWN_COST, UNKNOWN_WHYS, unknownCost, type RequestCost } from '../../core/cost.js';
import type { CallNode } from './callTree.js';
import type { Facts } from './facts.js';
import { OpenAnswers, RequestPairing } from './requestPairing.js';
import { PackedNumbers } from './packedNumbers.js';
import type { ReportedBy, TokenCount } from './tokens.js';
import type { Reading } from './transcriptReader.js';

/** What a record adds to a sum of costs, and of how many requests that is. */
export interface Spent {
  readonly cost: RequestCost;
  readonly requests: number;
  /** What they used, where that is told. */
  readonly tokens?: TokenCount | undefined;
}

/** What records add, by their positions; undefined for one that adds nothing. */
export type SpentAt = Pick<ReadonlyMap<number, Spent>, 'get'>;

type Reporter = keyof ReportedBy<unknown>;
const REPORTERS: readonly Reporter[] = ['requests', 'messages', 'end'];
const PROVENANCES: readonly RequestCost['provenance'][] = ['unknown', 'exact', 'priced', 'estimated'];

/** What is told of requests, in a few bytes each: there may be hundreds of thousands. */
class ReportedColumns {
  readonly #position = new PackedNumbers();
  readonly #call = new PackedNumbers();
  readonly #by = new PackedNumbers();
  readonly #provenance = new PackedNumbers();
  readonly #amount = new PackedNumbers();
  readonly #requests = new PackedNumbers();
  readonly #input = new PackedNumbers();
  readonly #output = new PackedNumbers();
  /** Whether there are tokens, and whether they are estimated. */
  readonly #tokens = new PackedNumbers();

  get length(): number {
    return this.#position.length;
  }

  push(position: number, call: CallNode, by: Reporter, { cost, requests, tokens }: Spent): void {
    this.#position.push(position);
    this.#call.push(call.index);
    this.#by.push(REPORTERS.indexOf(by));
    const why = cost.why === undefined ? 0 : UNKNOWN_WHYS.indexOf(cost.why) + PROVENANCES.length;
    this.#provenance.push(why > 0 ? why : PROVENANCES.indexOf(cost.provenance));
    this.#amount.push(cost.amount ?? 0);
    this.#requests.push(requests);
    this.#input.push(tokens?.input ?? 0);
    this.#output.push(tokens?.output ?? 0);
    this.#tokens.push(tokens ? (tokens.estimated ? 2 : 1) : 0);
  }

  position(at: number): number {
    return this.#position.at(at);
  }

  call(at: number): number {
    return this.#call.at(at);
  }

  by(at: number): Reporter | undefined {
    return REPORTERS[this.#by.at(at)];
  }

  spent(at: number): Spent {
    const known = this.#provenance.at(at);
    const provenance = PROVENANCES[known] ?? 'unknown';
    const requests = this.#requests.at(at);
    const tokens = this.#tokensAt(at);
    const why = UNKNOWN_WHYS[known - PROVENANCES.length];
    if (provenance === 'unknown') return { cost: why ? unknownCost(why) : { provenance }, requests, tokens };
    const amount = this.#amount.at(at) as NonNullable<RequestCost['amount']>;
    return { cost: { provenance, amount }, requests, tokens };
  }

  #tokensAt(at: number): TokenCount | undefined {
    const kind = this.#tokens.at(at);
    if (kind === 0) return undefined;
    return { input: this.#input.at(at), output: this.#output.at(at), estimated: kind === 2 };
  }
}

/**
 * Divides what a transcript cost among its records, so that the sum over all of them is that of every view: each request
 * counts once, at the message that answers it, else at its own record. An answer of which nothing is reported is of unknown
 * cost, where answers are what counts.
 */
export class SpentByRecord {
  readonly #told = new ReportedColumns();
  readonly #pairing = new RequestPairing();
  /** The position of the reply to a request, by that of the request. */
  readonly #replies = new Map<number, number>();
  /** The answers of which nothing is reported, by the positions of their first messages. */
  readonly #answers = new OpenAnswers<number>();
  readonly #unreported = new PackedNumbers();
  readonly #unreportedOf = new PackedNumbers();
  /** The calls by their indexes. */
  readonly #calls: CallNode[] = [];
  #length = 0;

  /** Adds a record; `cost` is what `addRequest` gave for it. */
  add({ facts, call, position }: Reading, cost: RequestCost | undefined): void {
    this.#length = position + 1;
    this.#calls[call.index] = call;
    const by = reporterOf(facts);
    if (cost && by && (by === 'requests' || facts.usage)) {
      const requests = by === 'requests' ? (facts.usage?.requests ?? 1) : 1;
      this.#told.push(position, call, by, { cost, requests, tokens: facts.tokens });
    }
    this.#pair({ facts, call, position });
    const ended = this.#answers.next(facts, call, position);
    if (!ended) return;
    this.#unreported.push(ended.first);
    this.#unreportedOf.push(call.index);
  }

  /** What each record adds, as far as they are added; more may be added afterwards. */
  finish(): SpentAt {
    const told = this.#told;
    // For each record one more than the index of what is told of it; the highest number where nothing is reported.
    const indexes = new Uint32Array(this.#length);
    for (let at = 0; at < told.length; at++)
      if (told.by(at) === this.#reporterFor(told.call(at)))
        indexes[this.#replies.get(told.position(at)) ?? told.position(at)] = at + 1;
    for (let at = 0; at < this.#unreported.length; at++)
      if (this.#reporterFor(this.#unreportedOf.at(at)) === 'messages')
        indexes[this.#unreported.at(at)] = UNREPORTED;
    for (const { call, first } of this.#answers.last)
      if (this.#reporterFor(call.index) === 'messages') indexes[first] = UNREPORTED;
    return {
      get: (position) => {
        const index = indexes[position] ?? 0;
        if (index === 0) return undefined;
        return index === UNREPORTED ? NOT_REPORTED : told.spent(index - 1);
      },
    };
  }

  #pair({ facts, call, position }: Pick<Reading, 'facts' | 'call' | 'position'>): void {
    if (facts.type === 'request' && !facts.isFailure) {
      const reply = this.#pairing.request(call.index, position);
      if (reply !== undefined) this.#replies.set(position, reply);
    }
    const request = this.#pairing.message(call.index, facts.role, position);
    if (request !== undefined) this.#replies.set(request, position);
  }

  /** The kind of records of which a call's costs are made. */
  #reporterFor(call: number): Reporter | undefined {
    const node = this.#calls[call];
    return node && (node.tokens.reporter ?? node.costs.reporter);
  }
}

/** Stands for an answer of which nothing is reported. */
const UNREPORTED = 2 ** 32 - 1;
const NOT_REPORTED: Spent = { cost: UNKNOWN_COST, requests: 1 };

function reporterOf({ type, role }: Facts): Reporter | undefined {
  if (type === 'request') return 'requests';
  if (type === 'callEnd') return 'end';
  return role === undefined ? undefined : 'messages';
}
