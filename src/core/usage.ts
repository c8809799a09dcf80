import { isObject } from './message.js';
import { addMoney, nanos, type NanoDollars } from './money.js';

/**
 * The terms of a request that make it cost something else than its tokens do: served fast, in the US only, in a batch, with
 * less or more urgency, or by a word that nobody knows yet (`other`). `implausible`: its numbers cannot be true; `mixed`: it is
 * the sum of requests at different terms; `incomplete`: only its input or only its output is told.
 */
export const USAGE_TERMS = [
  'fast',
  'us',
  'batch',
  'flex',
  'priority',
  'other',
  'implausible',
  'mixed',
  'incomplete',
] as const;
/** One of `USAGE_TERMS`. */
export type UsageTerm = (typeof USAGE_TERMS)[number];

/** The tokens of one or more model requests. */
export interface Usage {
  /** Prompt tokens, those read from and written to a cache included. */
  readonly inputTokens: number;
  /** Completion tokens, reasoning included. */
  readonly outputTokens: number;
  /** Of the prompt tokens, those read from a cache. */
  readonly cachedInputTokens?: number;
  /** Of the prompt tokens, those written to a cache, for whatever time. */
  readonly cacheWriteTokens?: number;
  /** Of those written to a cache, the ones that stay for an hour; the others stay for five minutes or an untold time. */
  readonly cacheWrite1hTokens?: number;
  /** Of the completion tokens, those of reasoning. */
  readonly reasoningTokens?: number;
  /** Searches of the web that the provider made for an answer, each of which it charges besides the tokens. */
  readonly webSearches?: number;
  /** True as soon as any part was counted locally instead of reported by the provider. */
  readonly estimated: boolean;
  /** What the source says that all of it cost; absent where it says that of none or not of all. */
  readonly cost?: NanoDollars;
  /** Of how many requests it is the sum, where a source tells of several at once. */
  readonly requests?: number;
  /** Terms that are not the usual ones, in the order of `USAGE_TERMS`. */
  readonly terms?: readonly UsageTerm[];
}

/** The terms that are none: usage that has them has no price. */
const NO_PRICE: ReadonlySet<UsageTerm> = new Set(['implausible', 'mixed', 'incomplete']);

/** The terms that a value names, each once and in order; undefined for none. */
export function termsIn(value: unknown): readonly UsageTerm[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const terms = USAGE_TERMS.filter((term) => value.includes(term));
  return terms.length === 0 ? undefined : terms;
}

/** About how many characters of English text and of code a token is, as the makers of models say; elsewhere it is fewer. */
export const CHARACTERS_PER_TOKEN = 4;

/** Zero tokens: where a sum starts. */
export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, estimated: false };

/** What a usage may count besides all input and all output. */
export const USAGE_PARTS = [
  'cachedInputTokens',
  'cacheWriteTokens',
  'cacheWrite1hTokens',
  'reasoningTokens',
  'webSearches',
] as const;

type UsagePart = (typeof USAGE_PARTS)[number];

/** The parts of a usage, as `countOf` tells each; those that are not zero. */
function usageParts(countOf: (part: UsagePart) => number): Partial<Record<UsagePart, number>> {
  const parts: Partial<Record<UsagePart, number>> = {};
  for (const part of USAGE_PARTS) {
    const count = countOf(part);
    if (count > 0) parts[part] = count;
  }
  return parts;
}

/** Whether a usage may have more than input and output, which most have not. */
export function mayHaveMore(usage: {
  readonly [Key in UsagePart | 'cost' | 'requests' | 'terms']?: unknown;
}): boolean {
  return (
    usage.cachedInputTokens !== undefined ||
    usage.cacheWriteTokens !== undefined ||
    usage.cacheWrite1hTokens !== undefined ||
    usage.reasoningTokens !== undefined ||
    usage.webSearches !== undefined ||
    usage.cost !== undefined ||
    usage.requests !== undefined ||
    usage.terms !== undefined
  );
}

/** The sum of two usages; estimated if either is. */
export function addUsage(a: Usage, b: Usage): Usage {
  if (!mayHaveMore(a) && !mayHaveMore(b)) {
    const inputTokens = a.inputTokens + b.inputTokens;
    const outputTokens = a.outputTokens + b.outputTokens;
    return { inputTokens, outputTokens, estimated: a.estimated || b.estimated };
  }
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    ...usageParts((part) => (a[part] ?? 0) + (b[part] ?? 0)),
    estimated: a.estimated || b.estimated,
    ...costOfBoth(a, b),
    ...termsOfBoth(a, b),
  };
}

function termsOfBoth(a: Usage, b: Usage): Pick<Usage, 'terms'> {
  // What cannot be counted with makes a sum such.
  const broken = USAGE_TERMS.filter(
    (term) => NO_PRICE.has(term) && [a, b].some((each) => each.terms?.includes(term)),
  );
  if (broken.length > 0) return { terms: broken };
  const isUsed = ({ inputTokens, outputTokens }: Usage) => inputTokens + outputTokens > 0;
  const [first, second] = [a, b].filter(isUsed).map(({ terms = [] }) => terms);
  if (first === undefined) return {};
  if (second === undefined || first.join() === second.join())
    return first.length === 0 ? {} : { terms: first };
  return { terms: ['mixed'] };
}

/** The recorded cost of two usages; of none where one has used tokens at a price that was not recorded. */
function costOfBoth(a: Usage, b: Usage): Pick<Usage, 'cost'> {
  const used = [a, b].filter(
    ({ inputTokens, outputTokens, cost }) => inputTokens + outputTokens > 0 || cost !== undefined,
  );
  const costs = used.flatMap(({ cost }) => cost ?? []);
  const [first, second] = costs;
  if (first === undefined || costs.length < used.length) return {};
  return { cost: second === undefined ? first : addMoney(first, second) };
}

/** A usage as far as it can be true: see `plausibleUsage`. */
export interface PlausibleUsage {
  /** Undefined where neither input nor output can be true. */
  readonly usage: Usage | undefined;
  /** What was left out, like `inputTokens: -5`. */
  readonly implausible: readonly string[];
}

/**
 * The numbers of a usage that can be true: whole (a fraction is rounded up), not negative, and at most 2^53 - 1, beyond
 * which a sum would be wrong. Where input or output is left out, the rest is an estimate. Takes whatever a model's
 * adapter may give; never throws.
 */
export function plausibleUsage(value: unknown): PlausibleUsage {
  const fields = isObject(value) ? value : {};
  const implausible: string[] = [];
  const count = (name: keyof Usage): number | undefined => {
    const given = fields[name];
    if (given === undefined) return undefined;
    const whole = typeof given === 'number' ? Math.ceil(given) : NaN;
    if (Number.isSafeInteger(whole) && whole >= 0) return whole;
    implausible.push(`${name}: ${typeof given === 'number' ? given : typeof given}`);
    return undefined;
  };
  const input = count('inputTokens');
  const output = count('outputTokens');
  const parts = USAGE_PARTS.map((part) => [part, count(part)] as const).filter(
    ([, counted]) => counted !== undefined,
  );
  if (input === undefined && output === undefined) return { usage: undefined, implausible };
  const cost = nanos(fields.cost);
  if (fields.cost !== undefined && cost === undefined) implausible.push(`cost: ${typeof fields.cost}`);
  const terms = termsIn([
    ...(Array.isArray(fields.terms) ? (fields.terms as unknown[]) : []),
    ...(implausible.length > 0 ? ['implausible'] : []),
  ]);
  const usage: Usage = {
    inputTokens: input ?? 0,
    outputTokens: output ?? 0,
    ...Object.fromEntries(parts),
    estimated: fields.estimated === true || input === undefined || output === undefined,
    ...(cost !== undefined && { cost }),
    ...(terms && { terms }),
  };
  return { usage, implausible };
}
