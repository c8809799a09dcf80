import { clipName, textOr } from '../../../query/numbers/values.js';
import { costOf, type Cost } from '../../../core/cost.js';
import type { Prices } from '../../../core/ports/prices.js';
import { costOfRequest } from '../../../query/numbers/callCosts.js';
import { tokensOf, usageOf } from '../../../query/numbers/tokens.js';
import type { RowSources } from './rowSources.js';

/** How much of a message's text a row contains, in UTF-16 code units. */
export const MAX_BODY = 6_000;
/** How much of any other text a row contains, in UTF-16 code units. */
export const MAX_FIELD = 2_000;

/** The fields common to all rows. */
export function rowPosition({ row, position, call, hue, record }: RowSources) {
  return {
    id: row,
    position,
    time: record.time,
    agent: clipName(record.agent),
    hue,
    depth: call.depth,
  };
}

/** Model, tokens and cost of the request of a row's message, as far as known; only for the message's first row. */
export function requestFacts(sources: RowSources, { prices }: { readonly prices: Prices }) {
  const { record, request, isFirst } = sources;
  if (!isFirst) return {};
  const cost = costIn(sources, prices);
  const tokens = tokensOf(record.usage ?? request?.usage);
  const model = clipName(record.model ?? request?.model);
  return { ...(tokens && { tokens }), ...(cost && { cost }), ...(model !== '' && { model }) };
}

/** What a row's request cost; of the two records that tell of it, that of the request counts, as in every sum. */
function costIn({ record, request, call }: RowSources, prices: Prices): Cost | undefined {
  const told = [request, record].find((each) => each && usageOf(each));
  if (!told) return undefined;
  const usage = usageOf(told);
  const cost = costOfRequest(
    { type: told.type, model: textOr(told.model), time: told.time, usage },
    call,
    prices,
  );
  return cost && costOf(cost, usage?.requests);
}
