import type { calcPrice, PriceCalculationResult } from '@pydantic/genai-prices';
import { withLongPrompts } from './premiums.js';
import type { Rate, TokenRates } from './tokenRates.js';

/** What of the package is used; `updatePrices`, which fetches, is not. */
export type CalcPrice = typeof calcPrice;

/** What the table says of a model at a time; `price` where it has none, `time` where that depends on a time that is not known. */
export type PriceMatch = TokenRates | 'price' | 'time';

/** How many answers of the table are remembered; a hostile transcript may name any number of models. */
const MAX_FOUND = 10_000;

const DAY_MS = 86_400_000;

/**
 * The dated prices of a table. What a model costs is looked up by the table's own rules for names; the answers for
 * a model and a day (prices begin at midnight, UTC) are remembered, because a lookup takes far longer than to multiply.
 */
export class PriceTable {
  readonly #calcPrice: CalcPrice;
  /** By model and day. */
  readonly #found = new Map<string, Map<number, PriceMatch>>();
  #remembered = 0;

  constructor(calc: CalcPrice) {
    this.#calcPrice = calc;
  }

  /**
   * The prices of a model at a time, in milliseconds since 1970; none where there is no such model, where it is priced by
   * something else than tokens, or where its price has changed and the time is unknown (0).
   */
  ratesOf(model: string, time: number): PriceMatch {
    if (model === '') return 'price';
    const day = Math.floor(time / DAY_MS);
    const known = this.#found.get(model)?.get(day);
    if (known !== undefined) return known;
    const entry = this.#find(model, time);
    const changes = entry ? changesOf(entry.model) : 'never';
    const rates = entry && ratesIn(entry);
    const found =
      time === 0 && changes !== 'never' ? 'time' : rates ? withLongPrompts(rates, model, time) : 'price';
    // What a model costs at night says nothing of the rest of the day.
    if (changes !== 'within a day' || typeof found === 'string') this.#remember(model, day, found);
    return found;
  }

  #remember(model: string, day: number, found: PriceMatch): void {
    if (++this.#remembered > MAX_FOUND) {
      this.#found.clear();
      this.#remembered = 1;
    }
    const days = this.#found.get(model) ?? new Map<number, PriceMatch>();
    this.#found.set(model, days.set(day, found));
  }

  #find(model: string, time: number): PriceCalculationResult {
    const timestamp = new Date(time);
    // Beyond what a date can hold there is no price.
    if (Number.isNaN(timestamp.getTime())) return null;
    for (const { name, providerId } of spellingsOf(model)) {
      const found = this.#calcPrice({}, name, { timestamp, ...(providerId !== undefined && { providerId }) });
      if (found && !isNeighbour(name, found.model)) return found;
    }
    return null;
  }
}

/** What behind the beginning of a name says that it is another model: a further number of a version, or another size or speed. */
const OTHER_MODEL =
  /^(?:[-._]?(?!0)\d{1,2}(?!\d)|[-._](?:fast|turbo|mini|nano|lite|flash|pro|max|ultra|air|codex|spark)(?![a-z]))/;

/**
 * Whether a name is only caught by the beginning of another model's, such as claude-sonnet-5-5 by that of claude-sonnet-5.
 * What a table says of a name as a whole, or by a pattern of its own, is meant.
 */
function isNeighbour(name: string, { id, match: rule }: PricedModel): boolean {
  const lower = name.toLowerCase();
  // The rules of some providers are for what stands behind the slash.
  const spellings = [lower, lower.slice(lower.lastIndexOf('/') + 1)];
  if (spellings.some((each) => names(rule, each))) return false;
  const rests = beginningsIn(rule).flatMap((begin) =>
    spellings.flatMap((each) => (each.startsWith(begin) ? [each.slice(begin.length)] : [])),
  );
  if (rests.length === 0) return false;
  return rests.every((rest) => {
    const word = OTHER_MODEL.exec(rest)?.[0];
    return word !== undefined && (/\d/.test(word) || !id.toLowerCase().includes(word));
  });
}

type PricedModel = NonNullable<PriceCalculationResult>['model'];
type MatchRule = NonNullable<PricedModel['match']>;

function partsOf(rule: MatchRule | undefined): readonly MatchRule[] {
  if (!rule) return [];
  if ('or' in rule) return rule.or.flatMap((each) => [...partsOf(each)]);
  if ('and' in rule) return rule.and.flatMap((each) => [...partsOf(each)]);
  return [rule];
}

function beginningsIn(rule: MatchRule | undefined): string[] {
  return partsOf(rule).flatMap((each) => ('starts_with' in each ? each.starts_with.toLowerCase() : []));
}

/** Whether a rule names a model as a whole. */
function names(rule: MatchRule | undefined, lower: string): boolean {
  return partsOf(rule).some((each) => 'equals' in each && each.equals.toLowerCase() === lower);
}

interface Spelling {
  readonly name: string;
  /** Whose rules are asked; those of the provider whose models are called so where it is left out. */
  readonly providerId?: string;
}

/** `anthropic.claude-…`, `us.anthropic.claude-…`: what Bedrock calls models; in its ARNs they stand last. */
const BEDROCK = /^(?:[a-z]{2,6}(?:-[a-z]+)?\.)?[a-z0-9]+\.[a-z]/;

/**
 * The ways to ask the table for a model, the first that it knows counts: as it is called; where it has a provider before a
 * slash, of that provider (the table reads LiteLLM's names so), else as OpenRouter's name; and as Bedrock's. Nothing is
 * cut off or replaced to make a name fit.
 */
function spellingsOf(model: string): Spelling[] {
  const name = model.replace(/^models\//, '');
  const last = name.slice(name.lastIndexOf('/') + 1);
  return [
    { name },
    ...(name.includes('/')
      ? [
          { name, providerId: 'litellm' },
          { name, providerId: 'openrouter' },
        ]
      : []),
    ...(BEDROCK.test(last) ? [{ name: last, providerId: 'aws' }] : []),
  ];
}

/** When the price of a model changes, as far as it is dated. */
function changesOf({ prices }: NonNullable<PriceCalculationResult>['model']) {
  if (!Array.isArray(prices) || prices.length < 2) return 'never';
  return prices.some(({ constraint }) => constraint?.type === 'time_of_date') ? 'within a day' : 'by days';
}

/** The prices of tokens; undefined where a model is priced without them, as one is that only draws. */
function ratesIn(entry: NonNullable<PriceCalculationResult>): TokenRates | undefined {
  const { model_price: price, model } = entry;
  const { input_mtok: input, output_mtok: output, requests_kcount, web_searches_kcount } = price;
  if (input === undefined && output === undefined) return undefined;
  const rate = (key: string, value: Rate | undefined) => (value === undefined ? {} : { [key]: value });
  return {
    ...rate('input', input),
    ...rate('output', output),
    ...rate('cacheRead', price.cache_read_mtok),
    ...rate('cacheWrite', price.cache_write_mtok),
    ...rate('cacheWrite1h', price.cache_write_1h_mtok),
    ...rate('reasoning', price.output_reasoning_mtok),
    ...(typeof requests_kcount === 'number' && { requests: requests_kcount }),
    ...(typeof web_searches_kcount === 'number' && { webSearches: web_searches_kcount }),
    ...(model.context_window !== undefined && { window: model.context_window }),
    row: rowOf(entry),
  };
}

/** Which price of the table it is: whose, of which model, and since when where it is dated. */
function rowOf({ provider, model, model_price }: NonNullable<PriceCalculationResult>): string {
  const dated = Array.isArray(model.prices)
    ? model.prices.find(({ prices }) => prices === model_price)
    : undefined;
  const since = dated?.constraint?.type === 'start_date' ? ` since ${dated.constraint.start_date}` : '';
  return `${provider.id} ${model.id}${since}`;
}
