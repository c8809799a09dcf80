import { number, type Fields } from '../reading/fields.js';
import type { Usage } from '../../core/usage.js';
import { usageOf } from './usage.js';

/** What a number of a usage counts. `part` is one that another contains, `total` the sum of all, `cost` money. */
export type UsageMeaning =
  | 'input'
  | 'output'
  | 'read'
  | 'written'
  | 'hour'
  | 'minutes'
  | 'reasoning'
  | 'part'
  | 'total'
  | 'cost';

/** The first that fits a name decides: cached and reasoning tokens are input and output tokens by their names too. */
const MEANINGS: readonly (readonly [UsageMeaning, RegExp])[] = [
  ['cost', /cost|price|usd|dollar|credit|nano_aiu/],
  ['part', /non_?cached|uncached|(?:^|_)(?:text|image|audio|video|document|file)(?:_|$)/],
  ['hour', /(?:^|_)1h(?:_|$)/],
  ['minutes', /(?:^|_)5m(?:_|$)/],
  ['written', /cache.*(?:writ|creat)/],
  ['read', /cache.*(?:read|hit)|cached/],
  ['reasoning', /reason|thought|thinking/],
  ['total', /total|^tokens$/],
  ['part', /^details_|predict|tool|search|request|duration|latency|cache_input/],
  ['input', /^(?:input|prompt)(?:_tokens?)?(?:_count)?$/],
  ['output', /^(?:output|completion)(?:_tokens?)?(?:_count)?$/],
];

/** What the number under a name counts, in any spelling and order of its words; undefined for a name that nobody knows. */
export function meaningOf(name: string): UsageMeaning | undefined {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_');
  return MEANINGS.find(([, pattern]) => pattern.test(words))?.[0];
}

/** What numbers under such names come to. */
export type Amounts = ReadonlyMap<UsageMeaning, number>;

/** The amounts of numbers under such names; of several of one meaning the largest counts, because none is told in parts. */
export function amountsOf(numbers: Fields): Amounts {
  const amounts = new Map<UsageMeaning, number>();
  for (const [name, value] of Object.entries(numbers)) {
    const meaning = meaningOf(name);
    const amount = number(typeof value === 'string' && value.trim() !== '' ? Number(value) : value);
    if (meaning !== undefined && amount !== undefined)
      amounts.set(meaning, Math.max(amounts.get(meaning) ?? 0, amount));
  }
  return amounts;
}

/**
 * The usage that such amounts tell; undefined where neither input nor output is told. The input contains what was cached:
 * where that is more than the input, it was counted without it.
 */
export function usageWith(
  amounts: Amounts,
  input = amounts.get('input'),
  output = amounts.get('output'),
): Usage | undefined {
  if (input === undefined && output === undefined) return undefined;
  const cached = amounts.get('read') ?? 0;
  const hour = amounts.get('hour') ?? 0;
  const written = Math.max(amounts.get('written') ?? 0, hour + (amounts.get('minutes') ?? 0));
  const isApart = cached + written > (input ?? 0);
  return usageOf({
    input: isApart ? (input ?? 0) + cached + written : input,
    output,
    cached,
    written,
    writtenForAnHour: hour,
    reasoning: amounts.get('reasoning'),
  });
}
