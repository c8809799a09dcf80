import type { UntypedMessage } from '../../query/numbers/transcriptItem.js';
import { finishReasonOf } from '../../query/numbers/finishReason.js';
import { UNKNOWN_COST } from '../../core/cost.js';
import { costOfRequest } from '../../query/numbers/callCosts.js';
import { readUsage } from '../../query/numbers/tokens.js';
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
import { type Attributes, numberIn, textIn } from './otlpSpan.js';

/** What a request to a model was, by the records of it and of its answer, of which one may be missing. */
export interface ReportedRequest {
  readonly request: UntypedMessage | undefined;
  readonly answer: UntypedMessage | undefined;
  /** What was used, see `Usage`. */
  readonly usage: unknown;
  /** What the request cost, of which nothing was told before. */
  readonly cost: SpanCost | undefined;
  /** The model of the call that asked, '' where that is unknown. */
  readonly model: string;
}

/** The attributes of a request: who answered, with which model, what was used and what it cost. */
export function requestAttributes(
  { request, answer, usage, cost, model: usual }: ReportedRequest,
  { dialect, additions }: { readonly dialect: Dialect; readonly additions: ReadonlySet<Addition> },
): Attributes {
  const model = [answer?.model, request?.model, usual].map(textIn).find((name) => name !== '') ?? '';
  const first = numberIn(request?.firstTokenMs);
  return {
    'gen_ai.provider.name': providerOf(model, request?.endpoint),
    ...(model !== '' && { 'gen_ai.request.model': model, 'gen_ai.response.model': model }),
    ...finishAttributes(finishReasonOf(request, answer)),
    ...(dialect === 'latest' &&
      first !== undefined && { 'gen_ai.response.time_to_first_chunk': first / 1000 }),
    ...usageAttributes(usage, dialect, additions),
    ...costAttributes(cost, additions),
  };
}

/** What a record says that its request cost, or the end of a call; undefined where that is unknown. `usual`: the model of the call. */
export function spanCost(prices: Prices, record: UntypedMessage = {}, usual: string): SpanCost | undefined {
  const usage = readUsage(record.type === 'callEnd' ? record.ownUsage : record.usage);
  if (!usage) return undefined;
  const about = {
    type: textIn(record.type),
    model: textIn(record.model),
    time: numberIn(record.time) ?? 0,
    usage,
  };
  const { amount, provenance } = costOfRequest(about, { model: usual }, prices) ?? UNKNOWN_COST;
  return amount === undefined ? undefined : { amount, provenance };
}
