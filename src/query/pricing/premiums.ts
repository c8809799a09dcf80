import type { UsageTerm } from '../../core/usage.js';
import type { TokenRates } from './tokenRates.js';

/** What a term of a request multiplies its price by, for models and a time; the first that fits counts. */
interface Premium {
  readonly term: UsageTerm;
  readonly models: RegExp;
  readonly factor: number;
  /** The first day on which it no longer holds, UTC. */
  readonly until?: string;
  /** From so many tokens of a prompt on it is not charged: the price of a long context holds instead. */
  readonly below?: number;
}

/**
 * The rules that are published, of 28 November 2026. Anthropic: platform.claude.com, about-claude/pricing (fast mode, inference_geo,
 * batches); OpenAI: openai.com/api-priority-processing, and its page of prices for flex and batches.
 */
const PREMIUMS: readonly Premium[] = [
  { term: 'fast', models: /^claude-opus-4[-.][67](?!\d)/, factor: 6, until: '2026-07-24' },
  { term: 'fast', models: /^claude-opus-4[-.]8(?!\d)/, factor: 2, until: '2026-12-01' },
  { term: 'fast', models: /^claude-opus-5(?:[-.]5)?(?![-.]?\d(?!\d))/, factor: 2 },
  {
    term: 'us',
    models: /^claude-(?:opus-4[-.][678]|sonnet-4[-.]6|(?:opus|sonnet|haiku|fable|mythos)-5)(?!\d)/,
    factor: 1.1,
  },
  { term: 'batch', models: /^claude-/, factor: 0.5 },
  { term: 'batch', models: /^(?:gpt-|o\d)/, factor: 0.5 },
  { term: 'flex', models: /^(?:gpt-5|gpt-6|o[34])/, factor: 0.5 },
  { term: 'priority', models: /^gpt-5[.-]5(?!\d)/, factor: 2.5, below: 272_000 },
  {
    term: 'priority',
    models: /^gpt-(?:5(?:[.-][12346])?(?:-codex)?|6-(?:sol|luna|astra|terra))(?:-\d{4}-\d{2}-\d{2})?$/,
    factor: 2,
    below: 272_000,
  },
];

/** What all terms of a request multiply its price by, and each that does, for a person. */
export interface Factor {
  readonly times: number;
  readonly words: string;
}

const NO_FACTOR: Factor = { times: 1, words: '' };

/** What all terms of a request multiply its price by; undefined where one of them has no rule, so that its cost is unknown. */
export function factorOf(
  terms: readonly UsageTerm[],
  {
    model,
    time,
    inputTokens,
    own,
  }: {
    readonly model: string;
    readonly time: number;
    readonly inputTokens: number;
    /** What a person's own prices say of terms. */
    readonly own?: TokenRates['times'];
  },
): Factor | undefined {
  if (terms.length === 0) return NO_FACTOR;
  const name = plainName(model);
  if (terms.includes('fast') && terms.includes('batch')) return undefined;
  let times = 1;
  const words: string[] = [];
  for (const term of terms) {
    const rule = PREMIUMS.find(
      ({ term: of, models, until }) => of === term && models.test(name) && isBefore(time, until),
    );
    const factor = own?.[term] ?? (rule?.below !== undefined && inputTokens >= rule.below ? 1 : rule?.factor);
    if (factor === undefined) return undefined;
    times *= factor;
    words.push(`${term} × ${factor}`);
  }
  return { times, words: words.join(', ') };
}

/** What longer prompts of a model cost than its table says, by the whole request. */
interface LongPrompts {
  readonly models: RegExp;
  readonly over: number;
  readonly input: number;
  readonly output: number;
  readonly from: string;
  readonly until: string;
}

/** Anthropic's 1M context for Sonnet 4, a beta (context-1m-2025-08-07) that ended on 30 April 2026. */
const LONG_PROMPTS: readonly LongPrompts[] = [
  {
    models: /^claude-(?:sonnet-4(?:-0|-20250514)?|4-sonnet(?:-20250522|-20250514)?)(?:@\d+)?$/,
    over: 200_000,
    input: 2,
    output: 1.5,
    from: '2025-08-12',
    until: '2026-05-01',
  },
];

/** The prices of a model with those of long prompts, where a rule has them that the table has not. */
export function withLongPrompts(rates: TokenRates, model: string, time: number): TokenRates {
  const rule = LONG_PROMPTS.find(
    ({ models, from, until }) =>
      models.test(plainName(model)) && time >= Date.parse(from) && isBefore(time, until),
  );
  if (!rule || typeof rates.input !== 'number') return rates;
  const all: { -readonly [Key in keyof TokenRates]: TokenRates[Key] } = { ...rates, window: 1_000_000 };
  for (const kind of ['input', 'cacheRead', 'cacheWrite', 'cacheWrite1h', 'output'] as const) {
    const base = rates[kind];
    const factor = kind === 'output' ? rule.output : rule.input;
    if (typeof base === 'number') all[kind] = { base, tiers: [{ start: rule.over, price: base * factor }] };
  }
  return all;
}

function isBefore(time: number, until: string | undefined): boolean {
  return until === undefined || (time > 0 && time < Date.parse(until));
}

/** The name of a model without who serves it. */
function plainName(model: string): string {
  return model.toLowerCase().replace(/^.*\//, '');
}
