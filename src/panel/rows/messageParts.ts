import { isObject } from '../../core/message.js';

/** A value if it is a text, else ''. */
export function textOr(value: unknown, otherwise = ''): string {
  return typeof value === 'string' ? value : otherwise;
}

/** A value if it is a number that can be counted with, else undefined. */
export function numberOr(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** More parts of one message are not looked at. */
export const MOST_PARTS = 50;

/** The parts of a content list; none where the content is a text. */
export function partsOf(message: unknown): readonly unknown[] {
  const content = isObject(message) ? message.content : undefined;
  return Array.isArray(content) ? (content as unknown[]) : [];
}

/** The address of an image part, or undefined where a part is no image. */
export function imageUrlOf(part: unknown): string | undefined {
  if (!isObject(part) || part.type !== 'image_url' || !isObject(part.image_url)) return undefined;
  return textOr(part.image_url.url);
}
