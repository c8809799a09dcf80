import { BoundedMap } from '../../core/boundedMap.js';
import { repeatedPartsOf, withRepeatedParts, type RepeatedParts } from '../../core/repeatedParts.js';
import { fields, without, type Fields } from '../reading/fields.js';

/** How many requests are held to see what others repeat of them; a recording repeats the one before. */
const MAX_EARLIER = 16;

/** A request that others after it may repeat, and the talk that it belongs to. */
export interface EarlierRequest {
  readonly request: Fields;
  readonly talk: string;
}

/** The last requests of a recording, by the names of their exchanges. */
export class EarlierRequests {
  readonly #requests = new BoundedMap<string, EarlierRequest>(MAX_EARLIER);

  add(exchange: string, request: EarlierRequest): void {
    this.#requests.set(exchange, request);
  }

  /** What a line repeats, of which request, and the line with it; undefined where it repeats nothing, or nothing known. */
  wholeOf(line: unknown): {
    readonly repeats?: RepeatedParts | undefined;
    readonly before?: EarlierRequest | undefined;
    readonly whole?: Fields | undefined;
  } {
    const value = fields(line);
    const repeats = repeatedPartsOf(value.repeats);
    const before = repeats && this.#requests.get(repeats.exchange);
    const request = before && withRepeatedParts(fields(value.request), repeats, before.request);
    return { repeats, before, whole: request && { ...without(value, 'repeats'), request } };
  }
}
