import { t } from '../../src/core/l10n.js';
import type { TokenCount } from '../../src/page/protocol/row.js';
import { plainText } from '../content/plainText.js';
import { el, type Child } from '../dom.js';
import { explainCost, formatCost, isKnownCost, requestsOf, type Cost } from '../../src/core/cost.js';
import { formatDuration } from '../../src/core/duration.js';
import { formatCount, formatMoment, formatTime } from '../format.js';
import { shortNumber } from '../../src/core/shortNumber.js';

/** What is shown at the right of a row's first line. */
export interface MetaFacts {
  readonly time: number;
  readonly durationMs?: number | undefined;
  /** How long a person was waited for, which is not in the duration. */
  readonly waitedMs?: number | undefined;
  readonly tokens?: TokenCount | undefined;
  readonly cost?: Cost | undefined;
  /** The cost with that of all calls below, where there are any. */
  readonly wholeCost?: Cost | undefined;
  readonly model?: string | undefined;
}

/** Time, duration, tokens, cost and model of a row. */
export function meta(
  { time, durationMs, waitedMs, tokens, cost, wholeCost, model }: MetaFacts,
  ...more: readonly Child[]
): HTMLElement {
  return el(
    'span',
    { class: 'meta' },
    ...more,
    model !== undefined && el('span', { class: 'meta-model', title: t`Model: ${model}` }, plainText(model)),
    tokens && tokenWords(tokens),
    cost && isKnownCost(cost) && costWords(cost, wholeCost),
    waitedMs !== undefined &&
      el(
        'span',
        { class: 'meta-waited', title: t`How long a person was waited for; not in the duration` },
        t`waited ${formatDuration(waitedMs)}`,
      ),
    durationMs !== undefined &&
      el('span', { class: 'meta-duration', title: t`Duration` }, formatDuration(durationMs)),
    time > 0 && el('time', { title: formatMoment(time) }, formatTime(time)),
  );
}

function costWords(cost: Cost, whole: Cost | undefined): HTMLElement {
  const below =
    whole && requestsOf(whole) > requestsOf(cost) ? ` ${t`With its subagents: ${formatCost(whole)}`}.` : '';
  return el(
    'span',
    { class: 'meta-cost', title: `${t`Cost: ${explainCost(cost)}`}${below}` },
    formatCost(cost),
  );
}

function tokenWords({ input, output, estimated }: TokenCount): HTMLElement {
  const about = estimated ? '≈' : '';
  const said = estimated ? t`estimated` : t`as the provider told them`;
  // No request is empty: a source that has none in has not recorded how many there were.
  if (input === 0)
    return el(
      'span',
      { class: 'meta-tokens', title: t`Tokens: ${formatCount(output)} out, ${said}; in: not recorded` },
      t`${about}${shortNumber(output)} tok out`,
    );
  return el(
    'span',
    { class: 'meta-tokens', title: t`Tokens: ${formatCount(input)} in, ${formatCount(output)} out, ${said}` },
    t`${about}${shortNumber(input)} → ${shortNumber(output)} tok`,
  );
}
