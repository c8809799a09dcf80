import { clipName } from './values.js';
import type { Facts } from './facts.js';
import { addCosts, NO_COST, type Cost } from '../core/cost.js';
import { CHARACTERS_PER_TOKEN } from '../core/usage.js';
import { NO_PRICES, type Prices } from '../ports/prices.js';
import { addRequest } from './callCosts.js';
import { CallSums } from './callSums.js';
import { wholeCostsByAgent } from './treeCosts.js';
import type { CallNode } from './callTree.js';
import type { Reading } from './transcriptReader.js';
import { NO_TOKENS, TokenSum, type TokenCount } from './tokens.js';
import { UNKNOWN_ROLE } from './transcriptItem.js';
import { ContextGrowth, type GrowthLine } from './contextGrowth.js';
import { CostlySteps, type CostlyStep } from './costlySteps.js';
import { isOutput } from './messageSize.js';

/** The most models distinguished; a hostile transcript may contain any number. */
const MAX_MODELS = 200;

/** Messages of which nobody reported the tokens. */
interface Unreported {
  messages: number;
  /** Of content and calls, as they are counted. */
  characters: number;
  /** Of reasoning, which no counter counts. */
  reasoning: number;
}

interface Said {
  messages: number;
  readonly input: Unreported;
  readonly output: Unreported;
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
  readonly runs: number;
  readonly calls: number;
  readonly toolCalls: number;
  /** See `isFailedRecord`. */
  readonly errors: number;
  readonly tokens: TokenCount;
  /** What all requests cost, see `CallCosts`. */
  readonly cost: Cost;
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
    readonly requests: number;
    readonly failures: number;
    readonly cost: Cost;
  })[];
  /** The size of the context at each request of a call. */
  readonly contextGrowth: readonly GrowthLine[];
  readonly contextEstimated: boolean;
  readonly slowest: readonly CostlyStep[];
  readonly mostExpensive: readonly CostlyStep[];
}

const NOTHING_COUNTED: CountedTokens = { of: () => undefined };

interface ModelTally extends Said {
  requests: number;
  failures: number;
}

/** Adds up the messages, tokens and failures of a transcript, record by record. */
export class UsageTotals {
  readonly #roles = new Map<string, Said & { readonly reported: TokenSum }>();
  readonly #agents = new Map<string, Said>();
  readonly #models = new Map<string, ModelTally>();
  readonly #growth = new ContextGrowth();
  readonly #costly = new CostlySteps();
  readonly #sums = new CallSums();
  readonly #prices: Prices;
  #messages = 0;
  #errors = 0;

  constructor(prices: Prices = NO_PRICES) {
    this.#prices = prices;
  }

  add(reading: Reading): void {
    const { facts, call } = reading;
    const cost = addRequest(facts, call, this.#prices);
    this.#sums.changed(call);
    this.#costly.add(reading, cost);
    this.#growth.add(reading);
    if (reading.isNewFailure) this.#errors++;
    if (facts.role !== undefined) this.#addMessage(facts, facts.role ?? UNKNOWN_ROLE);
    else if (facts.type === 'request') this.#addRequest(facts);
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
    const guessed = new TokenSum();
    for (const said of this.#agents.values()) guessed.add(estimate(said));
    return guessed.tokens ?? NO_TOKENS;
  }

  /** What the calls cost together. */
  cost(calls: readonly CallNode[]): Cost {
    return this.#sums.of(calls).cost;
  }

  /** All totals, with the texts of roles as they were counted; tokens and costs of agents and models add up to those of the transcript. */
  statistics(calls: readonly CallNode[], counted: CountedTokens = NOTHING_COUNTED): TranscriptTotals {
    const { agents, models, ownCalls, isReported } = this.#users(calls);
    const costs = this.#costs(calls);
    const tokensOfAgent = (name: string, said: Said) =>
      isReported ? agents.get(name)?.tokens : estimate(said);
    const tokensOfModel = (name: string, said: Said) =>
      isReported ? models.get(name)?.tokens : estimate(said);
    return {
      messages: this.#messages,
      runs: calls.reduce((most, call) => Math.max(most, call.run), 0),
      calls: calls.length,
      toolCalls: calls.reduce((sum, call) => sum + call.toolCalls, 0),
      errors: this.#errors,
      tokens: this.tokens(calls),
      cost: this.cost(calls),
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
        requests: tally.requests,
        failures: tally.failures,
        cost: costs.models.get(name) ?? NO_COST,
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
    const reported = role === 'assistant' ? facts.tokens : undefined;
    if (reported) ofRole.reported.add({ ...reported, input: 0 });
    count(this.#agent(facts.place.agent ?? ''), role, facts);
    if (isOutput(role)) count(this.#model(clipName(facts.model) || 'unknown'), role, facts);
  }

  #addRequest({ model, isFailure }: Facts): void {
    const tally = this.#model(clipName(model) || 'unknown');
    tally.requests++;
    if (isFailure) tally.failures++;
  }

  #agent(agent: string): Said {
    return entryOf(this.#agents, agent, nothing);
  }

  #modelName(name: string): string {
    return this.#models.has(name) || this.#models.size < MAX_MODELS ? name : 'other models';
  }

  #model(name: string): ModelTally {
    return entryOf(this.#models, this.#modelName(name), () => ({ ...nothing(), requests: 0, failures: 0 }));
  }
}

/** The tokens of a role's texts, each once: as reported for what models wrote, counted or estimated for the rest. */
function textTokens(
  { input, output, reported }: Said & { readonly reported: TokenSum },
  counted: Readonly<Tallied> | undefined,
): TokenCount {
  const written = reported.tokens ?? NO_TOKENS;
  const left = input.messages + output.messages - (counted?.messages ?? 0);
  return {
    input: guess(input.characters, counted?.input),
    output: guess(output.characters, counted?.output) + written.output,
    estimated: written.estimated || left > 0,
  };
}

/**
 * The tokens of texts that nobody reported, each once, by their length. They stay estimated, because what a model read again
 * with each request is not among them.
 */
function estimate({ input, output }: Said): TokenCount {
  return {
    input: byLength(input.characters),
    output: byLength(output.characters) + byLength(output.reasoning),
    estimated: true,
  };
}

function guess(characters: number, counted = { characters: 0, tokens: 0 }): number {
  return counted.tokens + byLength(Math.max(0, characters - counted.characters));
}

function byLength(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

function share(name: string, { messages }: Said, tokens: TokenCount = NO_TOKENS): Share {
  return { name, messages, tokens };
}

function nothing(): Said {
  const none = () => ({ messages: 0, characters: 0, reasoning: 0 });
  return { messages: 0, input: none(), output: none() };
}

function count(said: Said, role: string, { tokens, characters, reasoning }: Facts): void {
  said.messages++;
  if (tokens) return;
  const side = isOutput(role) ? said.output : said.input;
  side.messages++;
  side.characters += characters;
  side.reasoning += reasoning;
}

function addTo(costs: Map<string, Cost>, name: string, cost: Cost): void {
  costs.set(name, addCosts(costs.get(name) ?? NO_COST, cost));
}

function entryOf<T>(entries: Map<string, T>, name: string, make: () => T): T {
  let entry = entries.get(name);
  if (entry === undefined) entries.set(name, (entry = make()));
  return entry;
}
