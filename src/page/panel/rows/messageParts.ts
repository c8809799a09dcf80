import { textOr } from '../../../query/numbers/values.js';
import { isObject } from '../../../core/message.js';

/** How many parts of one message are processed. */
export const MAX_PARTS = 50;

/** The parts of a content list; empty where the content is a text. */
export function partsOf(message: unknown): readonly unknown[] {
  const content = isObject(message) ? message.content : undefined;
  return Array.isArray(content) ? (content as unknown[]) : [];
}

/** The URL of an image part; undefined for any other part. */
export function imageUrlOf(part: unknown): string | undefined {
  if (!isObject(part) || part.type !== 'image_url' || !isObject(part.image_url)) return undefined;
  return textOr(part.image_url.url);
}
