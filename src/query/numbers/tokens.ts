import { isObject } from '../../core/message.js';
import { nanos } from '../../core/money.js';
import { mayHaveMore, NO_USAGE, termsIn, USAGE_PARTS, type Usage } from '../../core/usage.js';
import { numberOr } from './values.js';

/** Tokens into a model and out of it; `estimated` where any of them was counted here instead of reported. */
export interface TokenCount {
  readonly input: number;
  readonly output: number;
  readonly estimated: boolean;
}

/** Zero tokens: where a sum starts. */
export const NO_TOKENS: TokenCount = { input: 0, output: 0, estimated: false };

/** The tokens of a usage as a record has it; undefined where it is none or contains nothing. */
export function tokensOf(usage: unknown): TokenCount | undefined {
  if (!isObject(usage)) return undefined;
  const input = whole(usage.inputTokens);
  const output = whole(usage.outputTokens);
  return input + output === 0 ? undefined : { input, output, estimated: usage.estimated === true };
}

/** Whether a count of tokens can be true, as far as it is told at all. */
function isCount(value: unknown): boolean {
  return value === undefined || (typeof value === 'number' && value >= 0 && Number.isFinite(value));
}

function whole(value: unknown): number {
  return Math.min(Math.round(numberOr(value) ?? 0), Number.MAX_SAFE_INTEGER);
}

/** The usage of a record, of which any field may hold any JSON value; undefined where it has none. */
export function readUsage(usage: unknown): Usage | undefined {
  if (!isObject(usage)) return undefined;
  const inputTokens = whole(usage.inputTokens);
  const outputTokens = whole(usage.outputTokens);
  const isTrue = isCount(usage.inputTokens) && isCount(usage.outputTokens);
  if (isTrue && !mayHaveMore(usage))
    return { inputTokens, outputTokens, estimated: usage.estimated === true };
  // Filled in by name, and not put together of parts: this is done for every request of every transcript.
  const read: { -readonly [Key in keyof Usage]: Usage[Key] } = {
    inputTokens,
    outputTokens,
    estimated: usage.estimated === true,
  };
  const cached = whole(usage.cachedInputTokens);
  if (cached > 0) read.cachedInputTokens = cached;
  const written = whole(usage.cacheWriteTokens);
  if (written > 0) read.cacheWriteTokens = written;
  const hourly = whole(usage.cacheWrite1hTokens);
  if (hourly > 0) read.cacheWrite1hTokens = hourly;
  const reasoning = whole(usage.reasoningTokens);
  if (reasoning > 0) read.reasoningTokens = reasoning;
  const searches = whole(usage.webSearches);
  if (searches > 0) read.webSearches = searches;
  const cost = nanos(usage.cost);
  if (cost !== undefined) read.cost = cost;
  const requests = whole(usage.requests);
  if (requests > 1) read.requests = requests;
  const isWholly = isTrue && USAGE_PARTS.every((part) => isCount(usage[part]));
  const terms = termsIn(
    isWholly
      ? usage.terms
      : [...(Array.isArray(usage.terms) ? (usage.terms as unknown[]) : []), 'implausible'],
  );
  if (terms) read.terms = terms;
  return read;
}

/**
 * What a record says that its model used, for its cost; undefined where it says nothing of it. A request that failed before
 * anything was answered used nothing: nobody charges for it.
 */
export function usageOf(record: Readonly<Record<string, unknown>>): Usage | undefined {
  const reporter = reporterOf(record);
  if (!reporter) return undefined;
  const usage = readUsage(reporter === 'end' ? record.ownUsage : record.usage);
  const isRefused = reporter === 'requests' && isObject(record.error) && record.firstTokenMs === undefined;
  return usage ?? (isRefused ? NO_USAGE : undefined);
}

/** What the records of one call report, by the kind of record that does. */
export interface ReportedBy<T> {
  requests?: T;
  messages?: T;
  /** The end of the call, as the sum of its own requests. */
  end?: T;
}

/** The kind of record whose usage a record reports; undefined for one that reports none. */
export function reporterOf(record: Readonly<Record<string, unknown>>): keyof ReportedBy<unknown> | undefined {
  if (record.type === 'request') return 'requests';
  if (record.type === 'callEnd') return 'end';
  return record.type === 'message' || record.type === undefined ? 'messages' : undefined;
}

/**
 * What every view calls the tokens of a call. Its requests, its messages and its end may all report the same usage, so
 * only one of them counts: the requests where any of them tells, else the messages, else the end.
 */
export function reportedTokens<T>({ requests, messages, end }: ReportedBy<T>): T | undefined {
  return requests ?? messages ?? end;
}

/** What a record reports of the tokens of its call; undefined for one that reports nothing. */
export function reportIn(
  record: Readonly<Record<string, unknown>>,
):
  | { readonly reporter: keyof ReportedBy<unknown>; readonly usage: unknown; readonly tokens: TokenCount }
  | undefined {
  const reporter = reporterOf(record);
  if (!reporter) return undefined;
  const usage = reporter === 'end' ? record.ownUsage : record.usage;
  const tokens = tokensOf(usage);
  return tokens && { reporter, usage, tokens };
}

/** The sum of two counts; estimated if either is. */
export function sumOf(a: TokenCount, b: TokenCount): TokenCount {
  return { input: a.input + b.input, output: a.output + b.output, estimated: a.estimated || b.estimated };
}

/** A sum of tokens, and whether there was anything to add: numbers of its own, because there are several for each call. */
export class TokenSum {
  #input = 0;
  #output = 0;
  #estimated = false;
  #isSum = false;

  add({ input, output, estimated }: TokenCount): void {
    this.#input += input;
    this.#output += output;
    this.#estimated ||= estimated;
    this.#isSum = true;
  }

  /** The sum; undefined before anything was added. */
  get tokens(): TokenCount | undefined {
    if (!this.#isSum) return undefined;
    return { input: this.#input, output: this.#output, estimated: this.#estimated };
  }
}
