import { MAX_MONEY, nanos, type NanoDollars } from '../../core/money.js';
import type { Usage, UsageTerm } from '../../core/usage.js';

/** A price in dollars for a million tokens: one, or by the size of the request's whole prompt. */
export type Rate = number | { readonly base: number; readonly tiers: readonly RateTier[] };

/** What a request pays for all of its tokens of a kind once its prompt is longer than `start` tokens. */
interface RateTier {
  readonly start: number;
  readonly price: number;
}

/** The prices of a model at one time. */
export interface TokenRates {
  /** Absent where the model is not priced by it, as one is that only embeds has no price of output. */
  readonly input?: Rate;
  readonly output?: Rate;
  /** What is left out costs what the kind above it costs: cached tokens what input does; an hour's writes do where writes do. */
  readonly cacheRead?: Rate;
  readonly cacheWrite?: Rate;
  readonly cacheWrite1h?: Rate;
  readonly reasoning?: Rate;
  /** In dollars for a thousand requests, and for a thousand searches of the web. */
  readonly requests?: number;
  readonly webSearches?: number;
  /** The most tokens that a prompt may have at these prices; one that is longer was paid otherwise. */
  readonly window?: number;
  /** Which price of which table it is, for a person. */
  readonly row?: string;
  /** What terms multiply it by, where a person's own prices say so. */
  readonly times?: Readonly<Partial<Record<UsageTerm, number>>>;
}

/** What a usage costs, see `priceOf`. */
export interface Price {
  readonly amount: NanoDollars;
  readonly besides: number;
  readonly isSure: boolean;
  /** Whether it is that of a long prompt. */
  readonly isLong: boolean;
}

/** A million tokens in dollars are thousandths of a dollar's billionth for one token. */
const NANOS_PER_RATE = 1e3;
/** A dollar for a thousand requests or searches is a million of its billionths for one. */
const NANOS_PER_THOUSANDTH = 1e6;

/**
 * What a usage costs; why it is unknown where its numbers contradict each other, as where more tokens were cached than sent, or
 * where tokens of a kind, or searches, have no price. A tier is that of the whole request, as providers charge it; where several requests were recorded as one, the base price
 * holds, and `isSure` says whether no single one of them can have reached a tier. `besides`: what of it is not of tokens, in nano-dollars.
 */
export function priceOf(rates: TokenRates, usage: Usage): Price | 'implausible' | 'parts' {
  const { inputTokens: input, outputTokens: output, reasoningTokens: thought = 0, requests = 1 } = usage;
  const { cachedInputTokens: read = 0, cacheWriteTokens: written = 0, cacheWrite1hTokens: hour = 0 } = usage;
  if (read + written > input || hour > written || thought > output) return 'implausible';
  const prompt = requests > 1 ? 0 : input;
  const { cacheRead = rates.input, cacheWrite = rates.input, reasoning = rates.output } = rates;
  // Where writing has a price of its own, for an hour it costs another one.
  const hourly = rates.cacheWrite1h ?? (rates.cacheWrite === undefined ? rates.input : undefined);
  // Written out and not a list of parts: this is done for every request of every transcript.
  const tokens =
    pay(rates.input, input - read - written, prompt) +
    pay(cacheRead, read, prompt) +
    pay(cacheWrite, written - hour, prompt) +
    pay(hourly, hour, prompt) +
    pay(rates.output, output - thought, prompt) +
    pay(reasoning, thought, prompt);
  // What has no price is not a number, and so no amount.
  const besides = (rates.requests ?? 0) * requests + pay(rates.webSearches, usage.webSearches ?? 0, prompt);
  const amount = nanos(tokens * NANOS_PER_RATE + besides * NANOS_PER_THOUSANDTH);
  if (amount === undefined) return 'parts';
  // Nobody pays millions for one request, nor for those that are told as one.
  if (amount >= MAX_MONEY) return 'implausible';
  const apart = besides * NANOS_PER_THOUSANDTH;
  const isLong = isReached(rates.input, input);
  if (requests === 1) return { amount, besides: apart, isSure: true, isLong };
  const paid = [rates.input, cacheRead, cacheWrite, rates.cacheWrite1h, rates.output, reasoning];
  return { amount, besides: apart, isSure: !paid.some((rate) => isReached(rate, input)), isLong: false };
}

/** What so many of a kind cost, in the unit of their price; not a number where there are some and they have no price. */
function pay(rate: Rate | undefined, count: number, prompt: number): number {
  return count === 0 ? 0 : rateAt(rate, prompt) * count;
}

/** Whether a request with so many tokens may pay a higher price than the base. */
function isReached(rate: Rate | undefined, input: number): boolean {
  return typeof rate === 'object' && rate.tiers.some(({ start }) => input > start);
}

function rateAt(rate: Rate | undefined, prompt: number): number {
  if (rate === undefined || typeof rate === 'number') return rate ?? Number.NaN;
  let price = rate.base;
  for (const tier of rate.tiers) if (prompt > tier.start) ({ price } = tier);
  return price;
}
