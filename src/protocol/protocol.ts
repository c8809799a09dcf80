import * as v from 'valibot';
import { events, type EventName } from './events.js';
import { requests, type RequestName } from './requests.js';
import { count } from './row.js';

/** The most UTF-16 code units in one answer or event, so that none exceeds a megabyte. */
export const MESSAGE_CHARACTERS = 250_000;

/** A message from the page to the host. */
export const fromPage = v.object({
  kind: v.literal('request'),
  id: count,
  name: v.picklist(Object.keys(requests) as RequestName[]),
  params: v.unknown(),
});
/** See `fromPage`. */
export type FromPage = v.InferOutput<typeof fromPage>;

/** A message from the host to the page. */
export const fromHost = v.variant('kind', [
  v.object({ kind: v.literal('answer'), id: count, answer: v.unknown() }),
  v.object({
    kind: v.literal('failure'),
    id: count,
    message: v.string(),
    /** True where the person called it off, so that nothing is to be said. */
    cancelled: v.exactOptional(v.literal(true)),
  }),
  v.object({
    kind: v.literal('event'),
    name: v.picklist(Object.keys(events) as EventName[]),
    data: v.unknown(),
  }),
]);
/** See `fromHost`. */
export type FromHost = v.InferOutput<typeof fromHost>;
