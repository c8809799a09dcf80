import { dollars } from '../../core/money.js';
import { termsIn, type Usage, type UsageTerm } from '../../core/usage.js';
import { isObject } from '../../core/message.js';
import { asText, fields, number, type Fields } from '../reading/fields.js';

/** What APIs call all that was sent or answered. */
const ANTHROPIC_WHOLE = ['input_tokens', 'output_tokens'] as const;
const OPENAI_WHOLE = ['prompt_tokens', 'completion_tokens', ...ANTHROPIC_WHOLE] as const;

/**
 * Usage in OpenAI's APIs (chat completions and responses) and those modelled on them: prompt tokens include cached ones,
 * completion tokens include reasoning, unless the total says that they do not. Undefined where there is no number.
 */
export function openAiUsage(value: unknown): Usage | undefined {
  const usage = fields(value);
  const input = number(usage.prompt_tokens) ?? number(usage.input_tokens);
  const output = number(usage.completion_tokens) ?? number(usage.output_tokens);
  if (input === undefined && output === undefined && !isTold(usage, OPENAI_WHOLE)) return undefined;
  const inputDetails = fields(usage.prompt_tokens_details ?? usage.input_tokens_details);
  const outputDetails = fields(usage.completion_tokens_details ?? usage.output_tokens_details);
  const cached = number(inputDetails.cached_tokens) ?? number(usage.cached_input_tokens) ?? 0;
  // OpenRouter and LiteLLM write Anthropic's cache writes among the details of OpenAI's usage.
  const written =
    number(inputDetails.cache_write_tokens) ??
    number(inputDetails.cache_creation_tokens) ??
    number(usage.cache_write_input_tokens) ??
    0;
  const reasoning = number(outputDetails.reasoning_tokens) ?? number(usage.reasoning_output_tokens) ?? 0;
  const total = number(usage.total_tokens);
  const sum = (input ?? 0) + (output ?? 0);
  const beside = total === undefined ? 0 : total - sum;
  return usageOf({
    input: input === undefined ? input : input + (beside > 0 && beside === cached + written ? beside : 0),
    output:
      output === undefined
        ? // What answers nothing, as an embedding does, has a total all the same.
          total === sum && input !== undefined
          ? 0
          : output
        : output + (beside > 0 && beside === reasoning ? beside : 0),
    cached,
    written,
    reasoning,
    // OpenRouter's, in dollars.
    cost: usage.cost,
    searches: searchesIn(usage),
    terms: [
      ...tierIn(usage.service_tier),
      ...(beside === 0 || beside === reasoning || beside === cached + written
        ? []
        : (['implausible'] as const)),
    ],
    told: usage,
  });
}

/** Usage in Anthropic's API, whose input tokens exclude those written to and read from the cache. */
export function anthropicUsage(value: unknown): Usage | undefined {
  const usage: Fields = fields(value);
  const input = number(usage.input_tokens);
  const output = number(usage.output_tokens);
  if (input === undefined && output === undefined && !isTold(usage, ANTHROPIC_WHOLE)) return undefined;
  const read = number(usage.cache_read_input_tokens) ?? 0;
  const { written, hour, agrees } = cacheWrites(usage);
  return usageOf({
    input: input === undefined ? input : input + read + written,
    output,
    cached: read,
    written,
    writtenForAnHour: hour,
    reasoning: number(fields(usage.output_tokens_details).thinking_tokens),
    searches: searchesIn(usage),
    terms: [
      ...termOf(usage.speed, { fast: 'fast' }, ['standard', '']),
      ...termOf(usage.inference_geo, { us: 'us' }, ['global', 'not_available', '']),
      ...tierIn(usage.service_tier),
      ...(agrees ? [] : (['implausible'] as const)),
    ],
    told: usage,
  });
}

/** The term that a word of a usage is; none for a usual one, `other` for one that nobody knows. */
function termOf(
  value: unknown,
  known: Readonly<Record<string, UsageTerm>>,
  usual: readonly string[],
): readonly UsageTerm[] {
  if (value === undefined || value === null) return [];
  const word = asText(value).toLowerCase();
  return usual.includes(word) ? [] : [known[word] ?? 'other'];
}

/** The tier at which a provider served a request. */
export function tierIn(value: unknown): readonly UsageTerm[] {
  const tiers = {
    batch: 'batch',
    flex: 'flex',
    priority: 'priority',
    fast: 'priority',
    // Vertex.
    on_demand_flex: 'flex',
    on_demand_priority: 'priority',
  } as const;
  return termOf(value, tiers, ['standard', 'default', 'auto', 'on_demand', 'traffic_type_unspecified', '']);
}

/** Searches of the web, as Anthropic's API counts them; OpenRouter and LiteLLM put them into OpenAI's usage. */
function searchesIn(usage: Fields): number | undefined {
  return number(fields(usage.server_tool_use).web_search_requests);
}

/** What was written to the cache: one number, or one for each time that it stays, or both; where both are told they must agree. */
function cacheWrites(usage: Fields): {
  readonly written: number;
  readonly hour: number;
  readonly agrees: boolean;
} {
  const { ephemeral_5m_input_tokens, ephemeral_1h_input_tokens } = fields(usage.cache_creation);
  const hour = number(ephemeral_1h_input_tokens) ?? 0;
  const written = number(usage.cache_creation_input_tokens) ?? 0;
  const apart = (number(ephemeral_5m_input_tokens) ?? 0) + hour;
  return {
    written: Math.max(written, apart),
    hour,
    agrees: written === apart || written === 0 || apart === 0,
  };
}

/** What a name of a usage must have to be a number of tokens. */
const COUNTS: ReadonlySet<unknown> = new Set([
  'input',
  'output',
  'read',
  'written',
  'hour',
  'minutes',
  'reasoning',
  'total',
  'searches',
]);

const TOKENS = /tokens?(?:[_-]?count|[_-]?in|[_-]?out|s)?$/i;
/** What has tokens in its name and counts none that were used. */
const RATES = /per_?sec|_ms$|rate|time|first|max|limit|budget/i;

/**
 * Whether an object in which a source tells usage has a number of tokens that cannot be one: negative, a fraction, no finite
 * number, a text, or nothing at all in place of what was sent or answered.
 */
function isImpossible(told: Fields, depth = 0): boolean {
  return Object.entries(told).some(([name, value]) => {
    const counts = value === undefined ? '' : countsIn(name);
    if (isObject(value) && !Array.isArray(value)) {
      // Some tell a number by its parts.
      if (counts !== '' && !Object.keys(value).some((part) => countsIn(part) !== '')) return true;
      return depth < 2 && isImpossible(value, depth + 1);
    }
    if (counts === '') return false;
    if (value === null) return counts === 'whole';
    return !isCount(value);
  });
}

/** Whether an object has anything, a number or not, under one of some names. */
export function isTold(told: Fields, names: readonly string[]): boolean {
  return names.some((name) => told[name] !== undefined && told[name] !== null);
}

/** What names count: `whole` for all that was sent or answered, `part` for other tokens, '' for none. They are few in all files. */
const counted = new Map<string, 'whole' | 'part' | ''>();
const MAX_COUNTED = 1_000;

function countsIn(name: string): 'whole' | 'part' | '' {
  const known = counted.get(name);
  if (known !== undefined) return known;
  const meaning = name.endsWith('search_requests') ? 'searches' : meaningOf(name);
  const isCount = (COUNTS.has(meaning) || TOKENS.test(name)) && !RATES.test(name);
  const counts = !isCount ? '' : meaning === 'input' || meaning === 'output' ? 'whole' : 'part';
  if (counted.size < MAX_COUNTED) counted.set(name, counts);
  return counts;
}

/** A usage from numbers of tokens; missing ones are 0. */
export function usageOf(numbers: {
  readonly input: number | undefined;
  readonly output: number | undefined;
  /** Those read from a cache, contained in the input. */
  readonly cached?: number | undefined;
  /** Those written to a cache, contained in the input. */
  readonly written?: number | undefined;
  /** Those of the written ones that stay for an hour. */
  readonly writtenForAnHour?: number | undefined;
  readonly reasoning?: number | undefined;
  /** What the source says that it cost, in dollars. */
  readonly cost?: unknown;
  /** Searches of the web that the provider made for it. */
  readonly searches?: number | undefined;
  /** Of how many requests it is the sum. */
  readonly requests?: number | undefined;
  readonly terms?: readonly UsageTerm[];
  /** What the numbers are from, whose own names and numbers are looked through for what cannot be true. */
  readonly told?: Fields;
}): Usage {
  const {
    input = 0,
    output = 0,
    cached = 0,
    written = 0,
    writtenForAnHour = 0,
    reasoning = 0,
    searches = 0,
    requests = 1,
  } = numbers;
  const isTrue =
    [input, output, cached, written, writtenForAnHour, reasoning, searches].every(isCount) &&
    (numbers.input === undefined || cached + written <= input) &&
    writtenForAnHour <= written &&
    (numbers.output === undefined || reasoning <= output) &&
    (numbers.told === undefined || !isImpossible(numbers.told));
  const isHalf = (numbers.input === undefined) !== (numbers.output === undefined);
  const terms = termsIn([
    ...(numbers.terms ?? []),
    ...(isTrue ? [] : ['implausible']),
    ...(isHalf && isTrue && input + output > 0 ? ['incomplete'] : []),
  ]);
  return {
    inputTokens: positive(input),
    outputTokens: positive(output),
    ...(positive(cached) > 0 && { cachedInputTokens: positive(cached) }),
    ...(positive(written) > 0 && { cacheWriteTokens: positive(written) }),
    ...(positive(writtenForAnHour) > 0 && { cacheWrite1hTokens: positive(writtenForAnHour) }),
    ...(positive(reasoning) > 0 && { reasoningTokens: positive(reasoning) }),
    ...(positive(searches) > 0 && { webSearches: positive(searches) }),
    estimated: false,
    ...costIn(numbers.cost),
    ...(requests > 1 && { requests }),
    ...(terms && { terms }),
  };
}

/** Whether a value can be a number of tokens. */
function isCount(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && Number.isSafeInteger(value);
}

/** A number of tokens as far as it can be one. */
function positive(count: number): number {
  return count > 0 && count <= Number.MAX_SAFE_INTEGER ? Math.round(count) : 0;
}

/** A usage of a request that was served at more terms than it says itself. */
export function withTerms(usage: Usage, more: readonly UsageTerm[]): Usage {
  const terms = more.length === 0 ? undefined : termsIn([...(usage.terms ?? []), ...more]);
  return terms ? { ...usage, terms } : usage;
}

/** A usage with what the source says that it cost, in dollars; as it was where the source says nothing of it. */
export function withCost(usage: Usage | undefined, cost: unknown): Usage | undefined {
  return usage && { ...usage, ...costIn(cost) };
}

/** A recorded cost. Zero is none: tools write it where they know no price, as of a subscription's models. */
function costIn(cost: unknown): Pick<Usage, 'cost'> {
  const amount = dollars(typeof cost === 'string' && cost.trim() !== '' ? Number(cost) : cost);
  return amount === undefined || amount === 0 ? {} : { cost: amount };
}

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
    const amount = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    // What is no number of tokens makes its usage one that cannot be true, and is not left out as if it were nothing.
    if (meaning !== undefined && typeof amount === 'number')
      amounts.set(meaning, amount < 0 ? Number.NaN : Math.max(amounts.get(meaning) ?? 0, amount));
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
