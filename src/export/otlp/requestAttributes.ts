import type { UntypedMessage } from '../../query/numbers/transcriptItem.js';
import { isObject } from '../../core/message.js';
import { plausibleUsage } from '../../core/usage.js';
import type { Prices } from '../../core/ports/prices.js';
import {
  costAttributes,
  finishAttributes,
  providerOf,
  usageAttributes,
  type Addition,
  type Dialect,
  type SpanCost,
} from './dialect.js';
import type { Attributes } from './otlpSpan.js';
import { numberIn, textIn } from './values.js';

/** What a request to a model was, by the records of it and of its answer, of which one may be missing. */
export interface ReportedRequest {
  readonly request: UntypedMessage | undefined;
  readonly answer: UntypedMessage | undefined;
  /** What was used, see `Usage`. */
  readonly usage: unknown;
  /** The model of the call that asked, '' where that is unknown. */
  readonly model: string;
}

/** The attributes of a request: who answered, with which model, what was used and what it cost. */
export function requestAttributes(
  { request, answer, usage, model: usual }: ReportedRequest,
  {
    dialect,
    additions,
    prices,
  }: { readonly dialect: Dialect; readonly additions: ReadonlySet<Addition>; readonly prices: Prices },
): Attributes {
  const model = [answer?.model, request?.model, usual].map(textIn).find((name) => name !== '') ?? '';
  const first = numberIn(request?.firstTokenMs);
  return {
    'gen_ai.provider.name': providerOf(model, request?.endpoint),
    ...(model !== '' && { 'gen_ai.request.model': model, 'gen_ai.response.model': model }),
    ...finishAttributes(request?.finishReason),
    ...(dialect === 'latest' &&
      first !== undefined && { 'gen_ai.response.time_to_first_chunk': first / 1000 }),
    ...usageAttributes(usage, dialect, additions),
    ...costAttributes(costOf(prices, usage, model, numberIn((request ?? answer)?.time)), additions),
  };
}

function costOf(prices: Prices, usage: unknown, model: string, time = 0): SpanCost | undefined {
  const counted = isObject(usage) ? plausibleUsage(usage).usage : undefined;
  if (!counted) return undefined;
  const { amount, provenance } = prices.costOf({ model, time, usage: counted });
  return amount === undefined ? undefined : { amount, provenance };
}
