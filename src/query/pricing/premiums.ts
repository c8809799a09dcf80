import type { UsageTerm } from '../../core/usage.js';

/** What a term of a request multiplies its price by, for models and a time; the first that fits counts. */
interface Premium {
  readonly term: UsageTerm;
  readonly models: RegExp;
  readonly factor: number;
  /** The first day on which it no longer holds, UTC. */
  readonly until?: string;
}

/**
 * The rules that are published, of 28 November 2026. Anthropic: platform.claude.com, about-claude/pricing (fast mode, inference_geo,
 * batches); OpenAI: openai.com/api-priority-processing, and its page of prices for flex and batches.
 */
const PREMIUMS: readonly Premium[] = [
  { term: 'fast', models: /^claude-opus-4[-.][67](?!\d)/, factor: 6, until: '2026-07-24' },
  { term: 'fast', models: /^claude-opus-(?:4[-.]8|5(?:[-.]5)?)(?![-.]?\d(?!\d))/, factor: 2 },
  {
    term: 'us',
    models: /^claude-(?:opus-4[-.][678]|sonnet-4[-.]6|(?:opus|sonnet|haiku|fable|mythos)-5)(?!\d)/,
    factor: 1.1,
  },
  { term: 'batch', models: /^claude-/, factor: 0.5 },
  { term: 'batch', models: /^(?:gpt-|o\d)/, factor: 0.5 },
  { term: 'flex', models: /^(?:gpt-5|gpt-6|o[34])/, factor: 0.5 },
  { term: 'priority', models: /^gpt-5[.-]5(?!\d)/, factor: 2.5 },
  {
    term: 'priority',
    models: /^gpt-(?:5(?:[.-][12346])?(?:-codex)?|6-(?:sol|luna|astra|terra))(?:-\d{4}-\d{2}-\d{2})?$/,
    factor: 2,
  },
];

/** OpenAI charges no priority above so many tokens of a prompt: the price of a long context holds instead. */
const MAX_PRIORITY_TOKENS = 272_000;

/** What all terms of a request multiply its price by; undefined where one of them has no rule, so that its cost is unknown. */
export function factorOf(
  terms: readonly UsageTerm[],
  {
    model,
    time,
    inputTokens,
  }: { readonly model: string; readonly time: number; readonly inputTokens: number },
): number | undefined {
  const name = model.toLowerCase().replace(/^.*\//, '');
  if (terms.includes('fast') && terms.includes('batch')) return undefined;
  let factor = 1;
  for (const term of terms) {
    if (term === 'priority' && inputTokens >= MAX_PRIORITY_TOKENS) continue;
    const rule = PREMIUMS.find(
      ({ term: of, models, until }) =>
        of === term && models.test(name) && (until === undefined || (time > 0 && time < Date.parse(until))),
    );
    if (!rule) return undefined;
    factor *= rule.factor;
  }
  return factor;
}
