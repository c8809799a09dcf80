import { clipName } from './values.js';
import type { Facts } from './facts.js';
import type { CallState } from '../../core/record.js';
import { addCosts, NO_COST, requestsOf, type Cost, type RequestCost } from '../../core/cost.js';
import { NO_PRICES, type Prices } from '../../core/ports/prices.js';
import { addRequest, spendingModel } from './callCosts.js';
import {
  addLengths,
  byLength,
  EstimatedShares,
  estimatedTokens,
  NO_TEXTS,
  type TextLengths,
} from './estimatedTokens.js';
import { countRun, NO_RUNS } from './runCount.js';
import { costOfCalls, wholeCostsByAgent } from './treeCosts.js';
import { type CallNode, widenSpan, type TimeSpan } from './callTree.js';
import type { Reading } from './transcriptReader.js';
import { NO_TOKENS, TokenSum, type TokenCount } from './tokens.js';
import { UNKNOWN_ROLE } from './transcriptItem.js';
import { ContextGrowth, type GrowthLine } from './contextGrowth.js';
import { CostlySteps, type CostlyStep } from './costlySteps.js';
import { isOutput } from './messageSize.js';
import { countStates, noStates, statesOf } from './toolUse.js';
import { tokensOfCalls } from './callTokens.js';

/** The most models distinguished; a hostile transcript may contain any number. */
const MAX_MODELS = 200;
/** The most prices of one model that are told. */
const MAX_PRICE_ROWS = 20;

interface MessageUsage {
  messages: number;
  /** So many of them report no tokens, and so long are their texts. */
  unreported: number;
  readonly lengths: TextLengths;
}

/** Messages of a role whose tokens were counted, because no provider reported them. */
export interface Tallied {
  messages: number;
  /** What goes into models, and what came out of them. */
  readonly input: { characters: number; tokens: number };
  readonly output: { characters: number; tokens: number };
}

/** Looks up counted tokens by a role; undefined where there are none. */
export interface CountedTokens {
  of(role: string): Readonly<Tallied> | undefined;
}

/** One line of a breakdown, like that of a role: its messages and tokens. */
export interface Share {
  readonly name: string;
  readonly messages: number;
  readonly tokens: TokenCount;
}

/** The totals of a transcript. */
export interface TranscriptTotals {
  readonly messages: number;
  /** See `countRun`. */
  readonly runs: number;
  readonly calls: number;
  readonly toolCalls: number;
  /** See `isFailedRecord`. */
  readonly errors: number;
  /** How many tool calls came to each end but a good one. */
  readonly states: Readonly<Record<CallState, number>>;
  /** From the first record of work to the last one, in milliseconds; 0 where no time is known. */
  readonly spanMs: number;
  /** The part of it in which something happened, see `ActiveTime`. */
  readonly activeMs: number;
  readonly tokens: TokenCount;
  /** What all requests cost, see `CallCosts`. */
  readonly cost: Cost;
  /** What of it agents cost that were dispatched by others. */
  readonly delegated: Cost;
  /** Which tables prices are from; '' where there are none. */
  readonly prices: string;
  readonly byRole: readonly Share[];
  /** `name` is the agent's whole name; `wholeCost` includes the calls that it dispatched. */
  readonly byAgent: readonly (Share & {
    readonly ownCalls: number;
    readonly cost: Cost;
    readonly wholeCost: Cost;
  })[];
  readonly byModel: readonly (Share & {
    /** Those that its cost is of, and those that failed before they used anything. */
    readonly requests: number;
    readonly failures: number;
    readonly cost: Cost;
    /** Which prices of which tables its requests are counted by, see `RequestCost`. */
    readonly priceRows: readonly string[];
  })[];
  /** The size of the context at each request of a call. */
  readonly contextGrowth: readonly GrowthLine[];
  readonly contextEstimated: boolean;
  readonly slowest: readonly CostlyStep[];
  readonly mostExpensive: readonly CostlyStep[];
}

const NOTHING_COUNTED: CountedTokens = { of: () => undefined };

interface ModelTally extends MessageUsage {
  /** Requests that used nothing, so that nothing is spent on them. */
  refused: number;
  failures: number;
}

/** Adds up the messages, tokens and failures of a transcript, record by record. */
export class UsageTotals {
  readonly #roles = new Map<string, MessageUsage & { readonly reported: TokenSum }>();
  readonly #agents = new Map<string, MessageUsage>();
  readonly #models = new Map<string, ModelTally>();
  /** Which prices were those of each model's requests. */
  readonly #priceRows = new Map<string, Set<string>>();
  readonly #growth = new ContextGrowth();
  readonly #costly = new CostlySteps();
  readonly #sums = new CallSums();
  readonly #prices: Prices;
  readonly #runs = { ...NO_RUNS };
  /** Of all messages that report no tokens. */
  readonly #lengths = { ...NO_TEXTS };
  readonly #states = noStates();
  readonly #time = new ActiveTime();
  #messages = 0;
  #errors = 0;

  constructor(prices: Prices = NO_PRICES) {
    this.#prices = prices;
  }

  /** Gives what the record cost, see `addRequest`. */
  add(reading: Reading): RequestCost | undefined {
    const { facts, call } = reading;
    const cost = addRequest(facts, call, this.#prices);
    this.#sums.changed(call);
    if (cost?.row !== undefined) this.#addPriceRow(this.#modelName(spendingModel(facts, call)), cost.row);
    this.#costly.add(reading, cost);
    this.#growth.add(reading);
    if (reading.isNewFailure) this.#errors++;
    countStates(this.#states, reading.made.length, reading.change);
    this.#time.add(reading);
    const { type, place, role, isAbsorbed } = facts;
    countRun(this.#runs, { type, depth: place.depth, role, isAbsorbed });
    if (facts.role !== undefined) this.#addMessage(facts, facts.role ?? UNKNOWN_ROLE);
    else if (facts.type === 'request') this.#addRequest(facts, cost);
    return cost;
  }

  #addPriceRow(model: string, row: string): void {
    const known = entryOf(this.#priceRows, model, () => new Set<string>());
    if (known.size < MAX_PRICE_ROWS) known.add(row);
  }

  /** How many failures there are, see `isFailedRecord`. */
  get errors(): number {
    return this.#errors;
  }

  /**
   * The tokens of the transcript: as reported, see `reportedTokens`; where nothing was reported, what is estimated of its
   * texts, each once. Estimated by their length alone, so that no view says another number before or after a count.
   */
  tokens(calls: readonly CallNode[]): TokenCount {
    const reported = this.#sums.of(calls).tokens;
    if (reported) return reported;
    return this.#messages === 0 ? NO_TOKENS : estimatedTokens(this.#lengths);
  }

  /** What the calls cost together. */
  cost(calls: readonly CallNode[]): Cost {
    return this.#sums.of(calls).cost;
  }

  /** All totals, with the texts of roles as they were counted; tokens and costs of agents and models add up to those of the transcript. */
  statistics(calls: readonly CallNode[], counted: CountedTokens = NOTHING_COUNTED): TranscriptTotals {
    const { agents, models, ownCalls, isReported } = this.#users(calls);
    const costs = this.#costs(calls);
    const [agentShares, modelShares] = [new EstimatedShares(), new EstimatedShares()];
    const tokensOfAgent = (name: string, { lengths }: MessageUsage) =>
      isReported ? agents.get(name)?.tokens : agentShares.next(lengths);
    const tokensOfModel = (name: string, { lengths }: MessageUsage) =>
      isReported ? models.get(name)?.tokens : modelShares.next(lengths);
    return {
      messages: this.#messages,
      runs: this.#runs.runs,
      calls: calls.length,
      toolCalls: calls.reduce((sum, call) => sum + call.toolCalls, 0),
      errors: this.#errors,
      states: statesOf(this.#states),
      spanMs: this.#time.spanMs,
      activeMs: this.#time.activeMs,
      tokens: this.tokens(calls),
      cost: this.cost(calls),
      delegated: costOfCalls(calls.filter(({ parent }) => parent !== undefined)),
      prices: this.#prices.version,
      byRole: [...this.#roles].map(([name, said]) => share(name, said, textTokens(said, counted.of(name)))),
      byAgent: [...this.#agents].map(([name, said]) => ({
        ...share(name, said, tokensOfAgent(name, said)),
        ownCalls: ownCalls.get(name) ?? 0,
        cost: costs.agents.get(name) ?? NO_COST,
        wholeCost: costs.whole.get(name) ?? costs.agents.get(name) ?? NO_COST,
      })),
      byModel: [...this.#models].map(([name, tally]) => ({
        ...share(name, tally, tokensOfModel(name, tally)),
        requests: requestsOf(costs.models.get(name) ?? NO_COST) + tally.refused,
        failures: tally.failures,
        cost: costs.models.get(name) ?? NO_COST,
        priceRows: [...(this.#priceRows.get(name) ?? [])],
      })),
      ...this.#growth.lines(),
      ...this.#costly.lists(),
    };
  }

  /** What each agent and each model used; one that uses tokens without saying anything is listed from now on. */
  #users(calls: readonly CallNode[]) {
    const agents = new Map<string, TokenSum>();
    const models = new Map<string, TokenSum>();
    const ownCalls = new Map<string, number>();
    let isReported = false;
    for (const call of calls) {
      ownCalls.set(call.agent, (ownCalls.get(call.agent) ?? 0) + 1);
      call.tokens.each(({ agent, model }, tokens) => {
        isReported = true;
        this.#agent(agent);
        this.#model(model);
        entryOf(agents, agent, () => new TokenSum()).add(tokens);
        entryOf(models, this.#modelName(model), () => new TokenSum()).add(tokens);
      });
    }
    return { agents, models, ownCalls, isReported };
  }

  /** What each agent and each model cost; and for agents what their calls cost with those below them. */
  #costs(calls: readonly CallNode[]) {
    const agents = new Map<string, Cost>();
    const models = new Map<string, Cost>();
    for (const call of calls) {
      call.costs.each(call.tokens.reporter, ({ agent, model }, cost) => {
        this.#agent(agent);
        this.#model(model);
        addTo(agents, agent, cost);
        addTo(models, this.#modelName(model), cost);
      });
    }
    return { agents, models, whole: wholeCostsByAgent(calls) };
  }

  #addMessage(facts: Facts, role: string): void {
    this.#messages++;
    const ofRole = entryOf(this.#roles, clipName(role), () => ({ ...nothing(), reported: new TokenSum() }));
    count(ofRole, role, facts);
    if (!facts.tokens) addLengths(this.#lengths, role, facts);
    const reported = role === 'assistant' ? facts.tokens : undefined;
    if (reported) ofRole.reported.add({ ...reported, input: 0 });
    count(this.#agent(facts.place.agent ?? ''), role, facts);
    if (isOutput(role)) count(this.#model(clipName(facts.model) || 'unknown'), role, facts);
  }

  #addRequest({ model, isFailure }: Facts, cost: RequestCost | undefined): void {
    const tally = this.#model(clipName(model) || 'unknown');
    if (!cost) tally.refused++;
    if (isFailure) tally.failures++;
  }

  #agent(agent: string): MessageUsage {
    return entryOf(this.#agents, agent, nothing);
  }

  #modelName(name: string): string {
    return this.#models.has(name) || this.#models.size < MAX_MODELS ? name : 'other models';
  }

  #model(name: string): ModelTally {
    return entryOf(this.#models, this.#modelName(name), () => ({ ...nothing(), refused: 0, failures: 0 }));
  }
}

/** The tokens of a role's texts, each once: as reported for what models wrote, counted or estimated for the rest. */
function textTokens(
  { unreported, lengths, reported }: MessageUsage & { readonly reported: TokenSum },
  counted: Readonly<Tallied> | undefined,
): TokenCount {
  const written = reported.tokens ?? NO_TOKENS;
  const left = unreported - (counted?.messages ?? 0);
  return {
    input: guess(lengths.input, counted?.input),
    output: guess(lengths.output, counted?.output) + written.output,
    estimated: written.estimated || left > 0,
  };
}

function guess(characters: number, counted = { characters: 0, tokens: 0 }): number {
  return counted.tokens + byLength(Math.max(0, characters - counted.characters));
}

function share(name: string, { messages }: MessageUsage, tokens: TokenCount = NO_TOKENS): Share {
  return { name, messages, tokens };
}

function nothing(): MessageUsage {
  return { messages: 0, unreported: 0, lengths: { ...NO_TEXTS } };
}

function count(said: MessageUsage, role: string, facts: Facts): void {
  said.messages++;
  if (facts.tokens) return;
  said.unreported++;
  addLengths(said.lengths, role, facts);
}

function addTo(costs: Map<string, Cost>, name: string, cost: Cost): void {
  costs.set(name, addCosts(costs.get(name) ?? NO_COST, cost));
}

function entryOf<T>(entries: Map<string, T>, name: string, make: () => T): T {
  let entry = entries.get(name);
  if (entry === undefined) entries.set(name, (entry = make()));
  return entry;
}

/** How many calls are summed up together: the more there are, the fewer sums remain and the more is summed up anew. */
const CALLS_PER_BLOCK = 64;

interface Sum {
  readonly tokens: TokenCount | undefined;
  readonly cost: Cost;
}

/**
 * What the calls of a transcript used and cost together, asked for again and again while it grows: calls are summed up in
 * blocks, and of these only the ones that have changed since.
 */
class CallSums {
  readonly #blocks: (Sum | undefined)[] = [];
  #total: Sum | undefined;

  /** Notes that a call has used or spent something. */
  changed({ index }: Pick<CallNode, 'index'>): void {
    this.#blocks[Math.floor(index / CALLS_PER_BLOCK)] = undefined;
    this.#total = undefined;
  }

  /** The sums of all calls; `calls` are all that there are, by their index. */
  of(calls: readonly CallNode[]): Sum {
    return (this.#total ??= this.#sum(calls));
  }

  #sum(calls: readonly CallNode[]): Sum {
    const tokens = new TokenSum();
    let cost = NO_COST;
    for (let first = 0; first < calls.length; first += CALLS_PER_BLOCK) {
      const block = (this.#blocks[first / CALLS_PER_BLOCK] ??= sumOf(
        calls.slice(first, first + CALLS_PER_BLOCK),
      ));
      if (block.tokens) tokens.add(block.tokens);
      cost = addCosts(cost, block.cost);
    }
    return { tokens: tokens.tokens, cost };
  }
}

function sumOf(calls: readonly CallNode[]): Sum {
  return { tokens: tokensOfCalls(calls.map(({ tokens }) => tokens)), cost: costOfCalls(calls) };
}

/** How long nothing may be recorded before that counts as a time in which nobody worked, in milliseconds. */
export const IDLE_LIMIT_MS = 5 * 60_000;

/**
 * The two times of a session. Its span is from the first record of work to the last one. Its active time is the sum of what
 * lies between two records, in the order of time, where that is not longer than `IDLE_LIMIT_MS`; of a longer gap only so much
 * as a tool or a request at its end says that it took. Of what is recorded in another order than it happened, no time
 * counts twice.
 */
export class ActiveTime {
  readonly #span: TimeSpan = { startedAt: 0, endedAt: 0 };
  #activeMs = 0;

  /** Adds the next item of the transcript. */
  add({ facts, result }: Pick<Reading, 'facts' | 'result'>): void {
    const before = this.#span.endedAt;
    widenSpan(this.#span, facts);
    const gap = this.#span.endedAt - before;
    if (before === 0 || gap <= 0) return;
    const took = facts.type === 'request' ? facts.durationMs : result?.tookMs;
    this.#activeMs += gap <= IDLE_LIMIT_MS ? gap : Math.min(gap, Math.max(took ?? 0, 0));
  }

  /** In milliseconds; 0 where no time is known. */
  get spanMs(): number {
    return this.#span.endedAt - this.#span.startedAt;
  }

  /** In milliseconds. */
  get activeMs(): number {
    return this.#activeMs;
  }
}
