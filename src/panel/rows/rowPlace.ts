import { clipName } from '../../analysis/values.js';
import { tokensOf } from '../../analysis/tokens.js';
import type { RowSources } from './rowSources.js';

/** How much of a message's text a row contains, in UTF-16 code units. */
export const MAX_BODY = 6_000;
/** How much of any other text a row contains, in UTF-16 code units. */
export const MAX_FIELD = 2_000;

/** The fields common to all rows. */
export function rowPlace({ row, position, call, hue, record }: RowSources) {
  return {
    id: row,
    position,
    time: record.time,
    agent: clipName(record.agent),
    hue,
    depth: call.depth,
  };
}

/** Model and tokens of the request of a row's message, as far as known; only for the message's first row. */
export function requestFacts({ record, request, isFirst }: RowSources) {
  if (!isFirst) return {};
  const tokens = tokensOf(record.usage ?? request?.usage);
  const model = clipName(record.model ?? request?.model);
  return { ...(tokens && { tokens }), ...(model !== '' && { model }) };
}
