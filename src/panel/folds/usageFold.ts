import type { UnknownRecord } from '../../core/record.js';
import { isFailedRecord } from '../../analysis/failures.js';
import { NO_TOKENS, TokenSum, tokensOf, type TokenCount } from '../../analysis/tokens.js';
import type { Share, Statistics } from '../../protocol/analysis.js';
import { messageIn, roleOf, type LooseMessage } from '../../analysis/transcriptItem.js';
import { textOr } from '../rows/messageParts.js';
import { clipName } from '../rows/rowPlace.js';
import type { CallNode } from './callTree.js';
import { ContextGrowth } from './contextGrowth.js';
import { CostlySteps } from './costlySteps.js';
import { charactersOf, isOutput } from './messageSize.js';
import type { Step } from './step.js';
import type { Tallied, TokenTally } from './tokenTally.js';

/** The assumed number of characters per token, where nothing was counted. */
const CHARACTERS_PER_TOKEN = 4;
/** The most models distinguished; a hostile transcript may contain any number. */
const MOST_MODELS = 200;

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

/** Looks up counted tokens. */
type Lookup = Pick<TokenTally, 'of'>;
const NOTHING_COUNTED: Lookup = { of: () => undefined };

interface ModelTally extends Said {
  requests: number;
  failures: number;
}

/** Adds up the messages, tokens and failures of a transcript, record by record. */
export class UsageFold {
  readonly #roles = new Map<string, Said & { readonly reported: TokenSum }>();
  readonly #agents = new Map<string, Said & { readonly hue: number }>();
  readonly #models = new Map<string, ModelTally>();
  readonly #growth = new ContextGrowth();
  readonly #costly = new CostlySteps();
  #messages = 0;
  #errors = 0;

  add(step: Step): void {
    const record = step.record as UnknownRecord;
    this.#costly.add(step);
    this.#growth.add(step);
    if (step.isNewFailure) this.#errors++;
    if (record.type === 'message') this.#addMessage(step, record);
    if (record.type === 'request') this.#addRequest(record);
  }

  /** How many failures there are, see `isFailedRecord`. */
  get errors(): number {
    return this.#errors;
  }

  /**
   * The tokens of the transcript: as reported, see `reportedTokens`; where nothing was reported, what is counted or
   * estimated of its texts, each once.
   */
  tokens(calls: readonly CallNode[], counted: Lookup = NOTHING_COUNTED): TokenCount {
    const all = new TokenSum();
    for (const call of calls) call.tokens.each((_, tokens) => all.add(tokens));
    if (all.tokens) return all.tokens;
    const guessed = new TokenSum();
    for (const [name, said] of this.#agents) guessed.add(estimate(said, counted.of('agent', name)));
    return guessed.tokens ?? NO_TOKENS;
  }

  /** All totals; tokens of agents and models add up to those of the transcript. */
  statistics(
    calls: readonly CallNode[],
    counted: Lookup = NOTHING_COUNTED,
  ): Omit<Statistics, 'counting' | 'durationMs'> {
    const { agents, models, ownCalls, isReported } = this.#users(calls);
    const tokensOfAgent = (name: string, said: Said) =>
      isReported ? agents.get(name)?.tokens : estimate(said, counted.of('agent', name));
    const tokensOfModel = (name: string, said: Said) =>
      isReported ? models.get(name)?.tokens : estimate(said, counted.of('model', name));
    return {
      messages: this.#messages,
      runs: calls.reduce((most, call) => Math.max(most, call.run), 0),
      calls: calls.length,
      toolCalls: calls.reduce((sum, call) => sum + call.toolCalls, 0),
      errors: this.#errors,
      tokens: this.tokens(calls, counted),
      byRole: [...this.#roles].map(([name, said]) =>
        share(name, said, textTokens(said, counted.of('role', name))),
      ),
      byAgent: [...this.#agents].map(([name, said]) => ({
        ...share(name, said, tokensOfAgent(name, said)),
        hue: said.hue,
        ownCalls: ownCalls.get(name) ?? 0,
      })),
      byModel: [...this.#models].map(([name, tally]) => ({
        ...share(name, tally, tokensOfModel(name, tally)),
        requests: tally.requests,
        failures: tally.failures,
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
        this.#agent(agent, call.hue);
        this.#model(model);
        entryOf(agents, agent, () => new TokenSum()).add(tokens);
        entryOf(models, this.#modelName(model), () => new TokenSum()).add(tokens);
      });
    }
    return { agents, models, ownCalls, isReported };
  }

  #addMessage({ hue }: Step, record: UnknownRecord): void {
    const message = messageIn(record) ?? {};
    const role = roleOf(message);
    this.#messages++;
    const said = sizeOf(message, tokensOf(record.usage) !== undefined);
    const ofRole = entryOf(this.#roles, clipName(role), () => ({ ...nothing(), reported: new TokenSum() }));
    count(ofRole, role, said);
    const reported = role === 'assistant' ? tokensOf(record.usage) : undefined;
    if (reported) ofRole.reported.add({ ...reported, input: 0 });
    count(this.#agent(record.agent, hue), role, said);
    if (isOutput(role)) count(this.#model(clipName(record.model) || 'unknown'), role, said);
  }

  #addRequest(record: UnknownRecord): void {
    const tally = this.#model(clipName(record.model) || 'unknown');
    tally.requests++;
    if (isFailedRecord(record)) tally.failures++;
  }

  #agent(agent: string, hue: number): Said {
    return entryOf(this.#agents, agent, () => ({ ...nothing(), hue }));
  }

  #modelName(name: string): string {
    return this.#models.has(name) || this.#models.size < MOST_MODELS ? name : 'other models';
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
 * The tokens of texts that nobody reported, each once: counted ones as far as there are any, the rest by length. They
 * stay estimated, because what a model read again with each request is not among them.
 */
function estimate({ input, output }: Said, counted: Readonly<Tallied> | undefined): TokenCount {
  return {
    input: guess(input.characters, counted?.input),
    output: guess(output.characters, counted?.output) + byLength(output.reasoning),
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
  return { name: clipName(name), messages, tokens };
}

interface Size {
  readonly isReported: boolean;
  readonly characters: number;
  readonly reasoning: number;
}

function sizeOf(message: LooseMessage, isReported: boolean): Size {
  return {
    isReported,
    characters: charactersOf(message),
    reasoning: textOr(message.reasoning_content).length,
  };
}

function nothing(): Said {
  const none = () => ({ messages: 0, characters: 0, reasoning: 0 });
  return { messages: 0, input: none(), output: none() };
}

function count(said: Said, role: string, { isReported, characters, reasoning }: Size): void {
  said.messages++;
  if (isReported) return;
  const side = isOutput(role) ? said.output : said.input;
  side.messages++;
  side.characters += characters;
  side.reasoning += reasoning;
}

function entryOf<T>(entries: Map<string, T>, name: string, make: () => T): T {
  let entry = entries.get(name);
  if (entry === undefined) entries.set(name, (entry = make()));
  return entry;
}
