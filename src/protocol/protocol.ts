import * as v from 'valibot';
import type { PanelEvent } from './events.js';
import { requests, type RequestName } from './requests.js';
import { count } from './row.js';

/** The most UTF-16 code units in one answer or event, so that none exceeds a megabyte. */
export const MESSAGE_CHARACTERS = 250_000;

/** A message from the page to the host. The page shows what strangers wrote, so the host checks everything it sends. */
export const fromPage = v.object({
  kind: v.literal('request'),
  id: count,
  name: v.picklist(Object.keys(requests) as RequestName[]),
  params: v.unknown(),
});
/** See `fromPage`. */
export type FromPage = v.InferOutput<typeof fromPage>;

/** A message from the host to the page. Both are built together, so its type is all that is checked. */
export type FromHost =
  | { readonly kind: 'answer'; readonly id: number; readonly answer: unknown }
  | {
      readonly kind: 'failure';
      readonly id: number;
      readonly message: string;
      /** True where the person called it off, so that nothing is to be said. */
      readonly cancelled?: true;
    }
  | ({ readonly kind: 'event' } & PanelEvent);
