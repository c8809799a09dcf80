import type { SpentAt } from '../numbers/spentByRecord.js';
import type { MadeCall } from '../numbers/toolCalls.js';
import { hasFailed } from '../numbers/transcriptReader.js';
import {
  costOf,
  knownAmount,
  provenanceOf,
  UNKNOWN_WHYS,
  unknownCost,
  type Cost,
  type CostProvenance,
  type UnknownWhy,
} from '../../core/cost.js';
import { PackedNumbers } from '../numbers/packedNumbers.js';
import type { Decision, Gathered, RecordFacts, ToolCallFacts } from './sessionFacts.js';

/** What is known of a record by itself. */
export type KnownFacts = Omit<RecordFacts, 'toolCalls' | 'spent'>;

/** What many records have in common, each kept once; numbers, times and what depends on them are kept beside it. */
interface Common {
  readonly facts: Omit<
    KnownFacts,
    | ('begin' | 'end' | 'beganAt' | 'endedAt' | 'durationMs' | 'agentCall' | 'run')
    | ('seq' | 'tokens' | 'cost')
  >;
  readonly hasTime: boolean;
  readonly hasDuration: boolean;
  readonly hasSeq: boolean;
  /** Whether its tokens are estimated; undefined where it has none. */
  readonly isEstimated: boolean | undefined;
  readonly provenance: CostProvenance | undefined;
  readonly why: UnknownWhy | undefined;
}

const NO_CALLS: readonly number[] = [];

/** The records of a session, in some twenty bytes each: they are made when they are asked for. */
export class GatheredRecords {
  readonly #commons: Common[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #texts = new TextNumbers();
  readonly #common = new PackedNumbers();
  readonly #time = new PackedNumbers();
  readonly #duration = new PackedNumbers();
  readonly #agentCall = new PackedNumbers();
  readonly #run = new PackedNumbers();
  readonly #seq = new PackedNumbers();
  readonly #input = new PackedNumbers();
  readonly #output = new PackedNumbers();
  readonly #cost = new PackedNumbers();
  /** Of each record, where its tool calls end among all that records concern. */
  readonly #linksEnd = new PackedNumbers();
  readonly #links = new PackedNumbers();

  get length(): number {
    return this.#common.length;
  }

  push(known: KnownFacts, toolCalls: readonly number[]): void {
    this.#common.push(this.#numberOf(known));
    this.#time.push(known.beganAt ?? 0);
    this.#duration.push(known.durationMs ?? 0);
    this.#agentCall.push(known.agentCall);
    this.#run.push(known.run);
    this.#seq.push(known.seq ?? 0);
    this.#input.push(known.tokens?.input ?? 0);
    this.#output.push(known.tokens?.output ?? 0);
    this.#cost.push(known.cost ? knownAmount(known.cost) : 0);
    for (const call of toolCalls) this.#links.push(call);
    this.#linksEnd.push(this.#links.length);
  }

  /**
   * The facts of those that there are now; `spent`: what each adds to a sum of costs, by its position. A message that answers
   * a recorded request has the tokens and the cost of that, where it tells none itself.
   */
  list(spent: SpentAt): Gathered<RecordFacts> {
    return new MadeList(this.length, (at) => {
      const known = this.known(at);
      const added = spent.get(at);
      // What it adds to a sum has no tokens of its own: those of a record are all that is kept in columns.
      const adds = added && { cost: added.cost, requests: added.requests };
      const record = Object.assign(known, { toolCalls: this.#toolCallsOf(at), spent: adds });
      if (!added || !known.isMessage || known.tokens || known.cost) return record;
      const { tokens, requests } = added;
      return Object.assign(record, { tokens, cost: costOf(added.cost, requests), isOfSeveral: requests > 1 });
    });
  }

  /** When a record was made; undefined where that is not known. */
  time(at: number): number | undefined {
    return this.#commons[this.#common.at(at)]?.hasTime === true ? this.#time.at(at) : undefined;
  }

  /** What is known of a record by itself. Throws where there is none. */
  known(at: number): KnownFacts {
    const common = this.#commons[this.#common.at(at)];
    if (!common || at < 0 || at >= this.length) throw new RangeError(`There is no record ${at}.`);
    const { facts, hasTime, hasDuration, hasSeq, isEstimated, provenance, why } = common;
    const time = hasTime ? this.#time.at(at) : undefined;
    const hasTokens = isEstimated !== undefined;
    // One plain literal, because this is made for every record of every session that is read.
    return {
      kind: facts.kind,
      begin: at,
      end: at,
      beganAt: time,
      endedAt: time,
      agent: facts.agent,
      depth: facts.depth,
      model: facts.model,
      runId: facts.runId,
      callId: facts.callId,
      tools: facts.tools,
      isError: facts.isError,
      durationMs: hasDuration ? this.#duration.at(at) : undefined,
      decisions: facts.decisions,
      agentCall: this.#agentCall.at(at),
      run: this.#run.at(at),
      seq: hasSeq ? this.#seq.at(at) : undefined,
      isMessage: facts.isMessage,
      role: facts.role,
      isPartial: facts.isPartial,
      isCompaction: facts.isCompaction,
      isInjected: facts.isInjected,
      hasImage: facts.hasImage,
      hasReasoning: facts.hasReasoning,
      hasCalls: facts.hasCalls,
      tokens: hasTokens
        ? { input: this.#input.at(at), output: this.#output.at(at), estimated: isEstimated }
        : undefined,
      isOfSeveral: facts.isOfSeveral,
      cost: provenance && this.#costOf(provenance, why, at),
    };
  }

  #costOf(provenance: CostProvenance, why: UnknownWhy | undefined, at: number): Cost {
    const amount = this.#cost.at(at) as ReturnType<typeof knownAmount>;
    if (provenance !== 'unknown') return costOf({ provenance, amount });
    return costOf(why ? unknownCost(why) : { provenance });
  }

  #toolCallsOf(at: number): readonly number[] {
    const [from, to] = [at === 0 ? 0 : this.#linksEnd.at(at - 1), this.#linksEnd.at(at)];
    return from === to
      ? NO_CALLS
      : Array.from({ length: to - from }, (_, link) => this.#links.at(from + link));
  }

  #numberOf(known: KnownFacts): number {
    const { kind, agent, depth, runId, callId, model, tools, isError, decisions, isMessage, role } = known;
    const { isPartial, isCompaction, isInjected, hasImage, hasReasoning, hasCalls, isOfSeveral } = known;
    const hasTime = known.beganAt !== undefined;
    const hasDuration = known.durationMs !== undefined;
    const hasSeq = known.seq !== undefined;
    const isEstimated = known.tokens?.estimated;
    const provenance = known.cost && provenanceOf(known.cost);
    const why = UNKNOWN_WHYS.find((each) => known.cost?.why?.[each] !== undefined);
    let flags = 0;
    // Texts by their numbers, because this is written for every record.
    for (const flag of [isError, isMessage, isPartial, isCompaction, hasImage, hasReasoning, hasCalls])
      flags = 2 * flags + Number(flag);
    for (const flag of [isInjected, isOfSeveral, hasTime, hasDuration, hasSeq])
      flags = 2 * flags + Number(flag);
    const texts = this.#texts;
    const key = `${texts.of(agent)} ${depth} ${texts.of(runId)} ${texts.of(callId)} ${texts.of(model)} ${texts.ofAll(
      tools,
    )} ${texts.ofAll(decisions)} ${texts.of(role)} ${isEstimated} ${provenance} ${why} ${flags}`;
    const number = this.#numbers.get(key);
    if (number !== undefined) return number;
    const facts = {
      kind,
      agent,
      depth,
      runId,
      callId,
      model,
      tools,
      isError,
      decisions,
      isMessage,
      role,
      isPartial,
      isCompaction,
      isInjected,
      hasImage,
      hasReasoning,
      hasCalls,
      isOfSeveral,
    };
    this.#numbers.set(key, this.#commons.length);
    return this.#commons.push({ facts, hasTime, hasDuration, hasSeq, isEstimated, provenance, why }) - 1;
  }
}

/** Gives each text a number of its own, from 1; 0 is for none. */
class TextNumbers {
  readonly #numbers = new Map<string, number>();

  of(text: string | undefined): number {
    if (text === undefined) return 0;
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#numbers.set(text, this.#numbers.size + 1);
    return this.#numbers.size;
  }

  /** The numbers of a list of texts, as a text. */
  ofAll(texts: readonly string[]): string {
    return texts.length === 0 ? '' : texts.map((text) => this.of(text)).join();
  }
}

/** The tool calls of a session, in some sixty bytes each: what they share with the record that makes them is kept there. */
export class GatheredToolCalls {
  readonly #records: GatheredRecords;
  readonly #ids: string[] = [];
  readonly #tools: string[] = [];
  readonly #names = new Map<string, string>();
  readonly #begin = new PackedNumbers();
  /** One more than the order of those that a message makes; 0 where only their result is recorded. */
  readonly #order = new PackedNumbers();
  readonly #made: (MadeCall | undefined)[] = [];
  /** The position of the result; -1 where there is none yet. */
  readonly #answeredAt: number[] = [];
  readonly #durationMs: (number | undefined)[] = [];
  readonly #decisions = new Map<number, Decision[]>();
  readonly #unseen = new Map<number, MadeCall['state']>();

  constructor(records: GatheredRecords) {
    this.#records = records;
  }

  get length(): number {
    return this.#ids.length;
  }

  /** Adds the call of a record that is added next; gives its index. */
  push(
    { id, tool, order }: Pick<ToolCallFacts, 'id' | 'tool'> & { readonly order: number | undefined },
    position: number,
    made: MadeCall | undefined,
  ): number {
    const name = this.#names.get(tool) ?? tool;
    this.#names.set(name, name);
    this.#tools.push(name);
    this.#begin.push(position);
    this.#order.push(order === undefined ? 0 : order + 1);
    this.#made.push(made);
    this.#answeredAt.push(-1);
    this.#durationMs.push(undefined);
    return this.#ids.push(id) - 1;
  }

  /** How it was decided on, and what became of it. */
  #decided(index: number, made: MadeCall | undefined): readonly Decision[] {
    const decisions = this.#decisions.get(index) ?? [];
    const state = made ? made.state : this.#unseen.get(index);
    const became = state === 'denied' && !decisions.includes('denied') ? 'denied' : state && BECAME[state];
    return became === undefined ? decisions : [...decisions, became];
  }

  /** What became of one of which only the result is recorded. */
  became(index: number, state: MadeCall['state']): void {
    this.#unseen.set(index, state);
  }

  answer(index: number, position: number, durationMs: number | undefined): void {
    this.#answeredAt[index] = position;
    this.#durationMs[index] = durationMs;
  }

  decide(index: number, decision: Decision): void {
    const known = this.#decisions.get(index);
    if (known) known.push(decision);
    else this.#decisions.set(index, [decision]);
  }

  /** The facts of those that there are now. */
  list(): Gathered<ToolCallFacts> {
    return new MadeList(this.#ids.length, (index) => this.#at(index));
  }

  #at(index: number): ToolCallFacts {
    const begin = this.#begin.at(index);
    const record = this.#records.known(begin);
    const [order, answered = -1] = [this.#order.at(index), this.#answeredAt[index]];
    const isAnswered = answered >= 0;
    const made = this.#made[index];
    const tool = this.#tools[index] ?? '';
    // One plain literal, as for records.
    return {
      kind: 'toolCall',
      begin,
      end: isAnswered ? answered : Infinity,
      beganAt: record.beganAt,
      endedAt: isAnswered ? this.#records.time(answered) : undefined,
      agent: record.agent,
      depth: record.depth,
      model: record.model,
      runId: record.runId,
      callId: record.callId,
      tools: [tool],
      isError: made ? hasFailed(made) : record.isError,
      durationMs: this.#durationMs[index],
      decisions: this.#decided(index, made),
      agentCall: record.agentCall,
      run: record.run,
      id: this.#ids[index] ?? '',
      tool,
      askedAt: order === 0 ? undefined : begin,
      order: Math.max(0, order - 1),
      answeredAt: isAnswered ? answered : undefined,
    };
  }
}

/** What questions call that which became of a call; what was denied is told by the decision. */
const BECAME: Readonly<Partial<Record<MadeCall['state'], Decision>>> = {
  failed: 'failed',
  cancelled: 'cancelled',
  timedOut: 'timeout',
  open: 'open',
};

/** A list of so many entries, each made when it is asked for. */
export class MadeList<T> implements Gathered<T> {
  readonly length: number;
  readonly #make: (at: number) => T;

  constructor(length: number, make: (at: number) => T) {
    this.length = length;
    this.#make = make;
  }

  at(index: number): T | undefined {
    return index >= 0 && index < this.length ? this.#make(index) : undefined;
  }

  *[Symbol.iterator](): Generator<T, void, undefined> {
    for (let index = 0; index < this.length; index++) yield this.#make(index);
  }
}
