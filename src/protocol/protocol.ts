import * as v from 'valibot';
import { events, type EventName } from './events.js';
import { requests, type RequestName } from './requests.js';
import { count } from './row.js';

/** The most characters one answer or event brings, so that none is over a megabyte. */
export const MESSAGE_CHARACTERS = 250_000;

/** From page to host. */
export const fromPage = v.object({
  kind: v.literal('request'),
  id: count,
  name: v.picklist(Object.keys(requests) as RequestName[]),
  params: v.unknown(),
});
/** A message from the page to the host. */
export type FromPage = v.InferOutput<typeof fromPage>;

/** From host to page. */
export const fromHost = v.variant('kind', [
  v.object({ kind: v.literal('answer'), id: count, answer: v.unknown() }),
  v.object({ kind: v.literal('failure'), id: count, message: v.string() }),
  v.object({
    kind: v.literal('event'),
    name: v.picklist(Object.keys(events) as EventName[]),
    data: v.unknown(),
  }),
]);
/** A message from the host to the page. */
export type FromHost = v.InferOutput<typeof fromHost>;
