import { isObject } from '../core/message.js';
import { imageSize, type ImageSize } from './imageSize.js';

/**
 * The token cost of an image, by OpenAI's guide "Images and vision", section on costs, with the numbers of GPT-4o.
 * Detail `low` costs the base alone; otherwise the image is scaled down to fit 2,048 by 2,048 pixels, then until its
 * shorter side is at most 768, and every tile of 512 by 512 that it touches costs extra.
 */
const BASE = 85;
const PER_TILE = 170;
const TILE = 512;
const LONG_SIDE = 2048;
const SHORT_SIDE = 768;

/** Assumed for an image whose size is unknown, because it is remote. */
const UNKNOWN_SIZE: ImageSize = { width: 1024, height: 1024 };

/** The tokens of the `image_url` value of an image part. */
export function imageTokens(image: unknown): number {
  const { url, detail } = isObject(image) ? image : { url: image, detail: undefined };
  if (detail === 'low') return BASE;
  const { width, height } = (typeof url === 'string' ? imageSize(url) : undefined) ?? UNKNOWN_SIZE;
  const shrink = Math.min(1, LONG_SIDE / Math.max(width, height));
  const scale = shrink * Math.min(1, SHORT_SIDE / (Math.min(width, height) * shrink));
  return BASE + PER_TILE * Math.ceil((width * scale) / TILE) * Math.ceil((height * scale) / TILE);
}
