import { LineCounter, isNode, parseDocument, type Document } from 'yaml';
import * as v from 'valibot';
import { messageOf } from '../../core/text.js';
import type { TokenRates } from './tokenRates.js';

/** What is wrong with a file of prices, for a person; lines count from 1. */
export interface PriceProblem {
  readonly line: number;
  readonly message: string;
}

/** Prices that a person wrote down. */
export interface OwnPrices {
  /** The prices of a model at a time, in milliseconds since 1970; undefined where they name none for it. */
  ratesOf(model: string, time: number): TokenRates | undefined;
}

/** What a file of prices says: prices, or why it says none. One problem is enough for no price to count. */
export type OwnPricesFile =
  | { readonly prices: OwnPrices; readonly problems: readonly [] }
  | { readonly prices?: never; readonly problems: readonly [PriceProblem, ...PriceProblem[]] };

const MAX_CHARACTERS = 1_000_000;

const amount = v.pipe(
  v.number('must be a number'),
  v.finite('must be a number'),
  v.minValue(0, 'must not be less than 0'),
);
const currency = v.pipe(v.string('must be text'), v.regex(/^[A-Z]{3}$/, 'must be three capital letters'));
const day = v.pipe(
  v.string('must be a date like 2026-01-31'),
  v.check((text) => startOf(text) !== undefined, 'must be a date like 2026-01-31'),
);

/** The terms that a price may be multiplied for. */
const PRICED_TERMS = ['fast', 'us', 'batch', 'flex', 'priority'] as const;

/** What may cost more in a long prompt. */
const LONGER = ['input', 'output', 'cacheRead', 'cacheWrite', 'cacheWrite1h', 'reasoning'] as const;
const longer = Object.fromEntries(LONGER.map((kind) => [kind, v.optional(amount)])) as Record<
  (typeof LONGER)[number],
  v.OptionalSchema<typeof amount, undefined>
>;

const model = v.strictObject(
  {
    model: v.pipe(v.string('must be text'), v.minLength(1, 'must not be empty')),
    from: v.optional(day),
    currency: v.optional(currency),
    input: amount,
    output: amount,
    cacheRead: v.optional(amount),
    cacheWrite: v.optional(amount),
    cacheWrite1h: v.optional(amount),
    reasoning: v.optional(amount),
    webSearches: v.optional(amount),
    times: v.optional(
      v.record(v.picklist(PRICED_TERMS, `must be one of ${PRICED_TERMS.join(', ')}`), amount),
    ),
    long: v.optional(
      v.strictObject(
        { over: v.pipe(amount, v.integer('must be a whole number')), ...longer },
        'must be a map with over and prices',
      ),
    ),
  },
  'must be a map with model, input and output',
);

const file = v.strictObject(
  {
    prices: v.literal(1, 'must be 1, the version of the format'),
    currencies: v.optional(
      v.record(
        currency,
        v.pipe(
          v.number('must be a number'),
          v.finite('must be a number'),
          v.gtValue(0, 'must be more than 0'),
        ),
      ),
      {},
    ),
    models: v.array(model, 'must be a list of models'),
  },
  "A file of prices must be a map with 'prices: 1' and 'models'.",
);

type OwnModel = v.InferOutput<typeof model>;

/** Reads own prices, in YAML or JSON; `name` is the file's name, for messages. Never throws. */
export function parseOwnPrices(source: string, name: string): OwnPricesFile {
  if (source.length > MAX_CHARACTERS)
    return failed(1, `${name} is longer than ${MAX_CHARACTERS} characters.`);
  const lines = new LineCounter();
  const lineAt = (offset: number) => Math.max(1, lines.linePos(offset).line);
  try {
    const options = { lineCounter: lines, prettyErrors: false, merge: false, schema: 'core' } as const;
    const document: Document = parseDocument(source, options);
    const [wrong] = [...document.errors, ...document.warnings];
    if (wrong) return failed(lineAt(wrong.pos[0]), wrong.message);
    const read = v.safeParse(file, document.toJS({ maxAliasCount: 0 }));
    if (!read.success) return problemsOf(read.issues, document, lineAt);
    return checked(read.output, document, lineAt);
  } catch (error) {
    return failed(1, `${name} cannot be read: ${messageOf(error)}`);
  }
}

/** What types cannot say: each currency needs its rate, and no model has two prices from the same day on. */
function checked(
  { currencies, models }: v.InferOutput<typeof file>,
  document: Document,
  lineAt: (offset: number) => number,
): OwnPricesFile {
  const rates = new Map([['USD', 1], ...Object.entries(currencies)]);
  const byModel = new Map<string, Dated[]>();
  for (const [at, each] of models.entries()) {
    const line = () => lineAt(offsetOf(document, ['models', at]));
    const perUnit = rates.get(each.currency ?? 'USD');
    if (perUnit === undefined)
      return failed(line(), `currencies has no ${each.currency}: say how many dollars one is worth.`);
    const alone = LONGER.find((kind) => each.long?.[kind] !== undefined && each[kind] === undefined);
    if (alone !== undefined)
      return failed(line(), `long.${alone} needs a price of shorter prompts: say ${alone} as well.`);
    const start = startOf(each.from) ?? -Infinity;
    const dated = byModel.get(each.model) ?? [];
    if (dated.some((other) => other.start === start))
      return failed(line(), `${each.model} has two prices from the same day on.`);
    byModel.set(each.model, [...dated, { start, rates: inDollars(each, perUnit) }]);
  }
  for (const dated of byModel.values()) dated.sort((a, b) => b.start - a.start);
  return { prices: new ModelRates(byModel), problems: [] };
}

/** Prices that hold from a time on, in milliseconds since 1970. */
interface Dated {
  readonly start: number;
  readonly rates: TokenRates;
}

function inDollars(each: OwnModel, perUnit: number): TokenRates {
  const { long, times, from } = each;
  const rates: { -readonly [Key in keyof TokenRates]: TokenRates[Key] } = {
    row: `own ${each.model}${from === undefined ? '' : ` since ${from}`}`,
    ...(times && { times }),
    ...(each.webSearches !== undefined && { webSearches: each.webSearches * perUnit }),
  };
  for (const kind of LONGER) {
    // What is written for an hour costs what other writes do, unless it has a price.
    const of = kind === 'cacheWrite1h' && each[kind] === undefined ? 'cacheWrite' : kind;
    const base = each[of];
    const price = long?.[of];
    // What is not told of a long prompt costs the same there.
    if (base !== undefined && (price === undefined || !long)) rates[kind] = base * perUnit;
    else if (base !== undefined && price !== undefined && long)
      rates[kind] = { base: base * perUnit, tiers: [{ start: long.over, price: price * perUnit }] };
  }
  return rates;
}

/** The prices of models by name; a name that ends with `*` is of all models that begin so, the longest one counts. */
class ModelRates implements OwnPrices {
  readonly #exact: ReadonlyMap<string, readonly Dated[]>;
  readonly #beginnings: readonly (readonly [string, readonly Dated[]])[];

  /** The prices of each model, the latest first. */
  constructor(byModel: ReadonlyMap<string, readonly Dated[]>) {
    this.#exact = byModel;
    this.#beginnings = [...byModel]
      .filter(([name]) => name.endsWith('*'))
      .map(([name, dated]) => [name.slice(0, -1), dated] as const)
      .sort(([a], [b]) => b.length - a.length);
  }

  ratesOf(name: string, time: number): TokenRates | undefined {
    const dated =
      this.#exact.get(name) ?? this.#beginnings.find(([beginning]) => name.startsWith(beginning))?.[1];
    if (!dated) return undefined;
    // Where the time is unknown, only a price that always held is that of the request.
    if (time === 0) return dated.length === 1 && dated[0]?.start === -Infinity ? dated[0].rates : undefined;
    return dated.find(({ start }) => start <= time)?.rates;
  }
}

/** When a day begins, UTC; undefined for what is no day of the calendar. */
function startOf(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const start = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(start.getTime()) && start.toISOString().startsWith(text) ? start.getTime() : undefined;
}

function failed(line: number, message: string): OwnPricesFile {
  return { problems: [{ line, message }] };
}

function problemsOf(
  issues: readonly [v.BaseIssue<unknown>, ...v.BaseIssue<unknown>[]],
  document: Document,
  lineAt: (offset: number) => number,
): OwnPricesFile {
  const [first, ...rest] = issues.map((issue): PriceProblem => {
    const path = (issue.path ?? []).map(({ key }) => key as string | number);
    const field = path.join('.');
    const words = issue.type === 'strict_object' && path.length > 0 ? wordsOf(issue) : issue.message;
    return { line: lineAt(offsetOf(document, path)), message: field === '' ? words : `${field} ${words}` };
  });
  return first ? { problems: [first, ...rest] } : failed(1, 'The prices cannot be read.');
}

/** A field that is missing or that nobody knows. */
function wordsOf({ expected, message }: v.BaseIssue<unknown>): string {
  if (expected === 'never') return 'is no field of a price.';
  return expected === 'Object' ? message : 'is missing.';
}

/** Where the deepest part of a path stands that there is, as an offset in the text. */
function offsetOf(document: Document, path: readonly (string | number)[]): number {
  for (let length = path.length; length > 0; length--) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}
