import { textOf } from '../../core/message.js';
import type { UnknownRecord } from '../../core/record.js';
import type { Share, Statistics } from '../../protocol/analysis.js';
import type { TokenCount } from '../../protocol/row.js';
import { messageIn, roleOf } from '../../query/queryItem.js';
import { tokensOfCall, type CallNode } from './callTree.js';
import { ContextGrowth } from './contextGrowth.js';
import { CostlySteps } from './costlySteps.js';
import { numberOr } from '../rows/messageParts.js';
import type { Step } from './step.js';
import { clipName, tokensOf } from '../rows/rowPlace.js';
import { NO_TOKENS, TokenSum } from './tokenSum.js';
import type { Tallied, TokenTally } from './tokenTally.js';

/** The assumed number of characters per token, where nothing was counted. */
const CHARACTERS_PER_TOKEN = 4;
/** The most models distinguished; a hostile transcript may contain any number. */
const MOST_MODELS = 200;

interface Said {
  messages: number;
  characters: number;
  /** The number of these whose tokens no provider reported. */
  untoldMessages: number;
  untoldCharacters: number;
}

/** Looks up counted tokens. */
type Lookup = Pick<TokenTally, 'of'>;
const NOTHING_COUNTED: Lookup = { of: () => undefined };

interface ModelTally extends Said {
  requests: number;
  failures: number;
  readonly byRequests: TokenSum;
  readonly byMessages: TokenSum;
}

/** Adds up the tokens of a transcript, record by record. */
export class UsageFold {
  readonly #roles = new Map<string, Said & { readonly output: TokenSum }>();
  readonly #agents = new Map<string, Said & { readonly hue: number }>();
  readonly #models = new Map<string, ModelTally>();
  readonly #growth = new ContextGrowth();
  readonly #costly = new CostlySteps();
  #messages = 0;
  #errors = 0;
  #durationMs = 0;

  add(step: Step): void {
    const record = step.record as UnknownRecord;
    this.#costly.add(step);
    this.#growth.add(step);
    switch (record.type) {
      case 'message':
        this.#addMessage(step, record);
        break;
      case 'request':
        this.#addRequest(record);
        break;
      case 'error':
        this.#errors++;
        break;
      case 'callEnd':
        if (step.call.owner === undefined) this.#durationMs += numberOr(record.durationMs) ?? 0;
        break;
      default:
    }
  }

  /** The totals: reported tokens where there are any, else counted ones, else estimates by length. */
  statistics(calls: readonly CallNode[], counted: Lookup = NOTHING_COUNTED): Omit<Statistics, 'counting'> {
    const { all, byAgent } = tokensByAgent(calls);
    const byRole = [...this.#roles].map(([name, said]) =>
      share(name, said, roleTokens(said, counted.of('role', name))),
    );
    return {
      messages: this.#messages,
      runs: calls.reduce((most, call) => Math.max(most, call.run), 0),
      calls: calls.length,
      toolCalls: calls.reduce((sum, call) => sum + call.toolCalls, 0),
      errors: this.#errors,
      tokens: all.tokens ?? sumOf(byRole),
      durationMs: this.#durationMs,
      byRole,
      byAgent: [...this.#agents].map(([name, said]) => ({
        ...share(name, said, byAgent.get(name)?.sum.tokens ?? untold(said, counted.of('agent', name))),
        hue: said.hue,
        ownCalls: byAgent.get(name)?.calls ?? 0,
      })),
      byModel: [...this.#models].map(([name, tally]) => ({
        ...share(
          name,
          tally,
          tally.byRequests.tokens ?? tally.byMessages.tokens ?? untold(tally, counted.of('model', name)),
        ),
        requests: tally.requests,
        failures: tally.failures,
      })),
      ...this.#growth.lines(),
      ...this.#costly.lists(),
    };
  }

  #addMessage({ call }: Step, record: UnknownRecord): void {
    const message = messageIn(record) ?? {};
    const role = roleOf(message);
    const characters = textOf(message.content).length;
    const isTold = tokensOf(record.usage) !== undefined;
    this.#messages++;
    if (record.isError === true) this.#errors++;
    const ofRole = at(this.#roles, clipName(role), () => ({ ...nothing(), output: new TokenSum() }));
    count(ofRole, characters, isTold);
    ofRole.output.add(record.usage);
    count(
      at(this.#agents, call.agent, () => ({ ...nothing(), hue: call.hue })),
      characters,
      isTold,
    );
    if (role !== 'assistant') return;
    const ofModel = this.#model(record.model);
    count(ofModel, characters, isTold);
    ofModel.byMessages.add(record.usage);
  }

  #addRequest(record: UnknownRecord): void {
    const tally = this.#model(record.model);
    tally.requests++;
    tally.byRequests.add(record.usage);
    if (record.error === undefined) return;
    tally.failures++;
    this.#errors++;
  }

  #model(model: unknown): ModelTally {
    const name = clipName(model) || 'unknown';
    const isKnown = this.#models.has(name) || this.#models.size < MOST_MODELS;
    return at(this.#models, isKnown ? name : 'other models', () => ({
      ...nothing(),
      requests: 0,
      failures: 0,
      byRequests: new TokenSum(),
      byMessages: new TokenSum(),
    }));
  }
}

function tokensByAgent(calls: readonly CallNode[]) {
  const all = new TokenSum();
  const byAgent = new Map<string, { calls: number; readonly sum: TokenSum }>();
  for (const call of calls) {
    const entry = at(byAgent, call.agent, () => ({ calls: 0, sum: new TokenSum() }));
    entry.calls++;
    const tokens = tokensOfCall(call);
    if (!tokens) continue;
    entry.sum.addTokens(tokens);
    all.addTokens(tokens);
  }
  return { all, byAgent };
}

/** The tokens of a role: as reported for its output, and as counted for the rest. */
function roleTokens(
  said: Said & { readonly output: TokenSum },
  counted: Readonly<Tallied> | undefined,
): TokenCount {
  const rest = untold(said, counted);
  const told = said.output.tokens;
  return told ? { ...told, input: rest.input, estimated: told.estimated || rest.estimated } : rest;
}

/** The tokens that no provider reported: counted ones as far as there are any, the rest estimated by length. */
function untold(
  { untoldMessages, untoldCharacters }: Said,
  counted: Readonly<Tallied> = { messages: 0, characters: 0, tokens: 0 },
): TokenCount {
  const rest = Math.max(0, untoldCharacters - counted.characters);
  const estimated = counted.messages < untoldMessages;
  const guess = estimated ? Math.ceil(rest / CHARACTERS_PER_TOKEN) : 0;
  return { input: counted.tokens + guess, output: 0, estimated };
}

function share(name: string, { messages, characters }: Said, tokens: TokenCount): Share {
  return { name: clipName(name), messages, characters, tokens };
}

function sumOf(shares: readonly Share[]): TokenCount {
  const sum = new TokenSum();
  for (const { tokens } of shares) sum.addTokens(tokens);
  return sum.tokens ?? NO_TOKENS;
}

function nothing(): Said {
  return { messages: 0, characters: 0, untoldMessages: 0, untoldCharacters: 0 };
}

function count(said: Said, characters: number, isTold: boolean): void {
  said.messages++;
  said.characters += characters;
  if (isTold) return;
  said.untoldMessages++;
  said.untoldCharacters += characters;
}

function at<T>(entries: Map<string, T>, name: string, make: () => T): T {
  let entry = entries.get(name);
  if (entry === undefined) entries.set(name, (entry = make()));
  return entry;
}
