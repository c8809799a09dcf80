import { isObject } from '../../core/message.js';

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

/** In pixels. */
interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** How many base64 characters are decoded to find the size; a JPEG may begin with a large profile. */
const HEAD_CHARACTERS = 64 * 1024;

/** The size of a PNG, JPEG, GIF or WebP image in a base64 `data:` URL, read from its header; undefined for others. */
export function imageSize(url: string): ImageSize | undefined {
  const comma = url.indexOf(',');
  if (!url.startsWith('data:image/') || comma < 0 || !url.slice(0, comma).endsWith(';base64'))
    return undefined;
  const bytes = decodeHead(url.slice(comma + 1, comma + 1 + HEAD_CHARACTERS));
  if (!bytes) return undefined;
  const size = pngSize(bytes) ?? gifSize(bytes) ?? webpSize(bytes) ?? jpegSize(bytes);
  return size && size.width > 0 && size.height > 0 ? size : undefined;
}

function decodeHead(base64: string): DataView | undefined {
  try {
    const binary = atob(base64.slice(0, base64.length - (base64.length % 4)));
    return new DataView(Uint8Array.from(binary, (character) => character.charCodeAt(0)).buffer);
  } catch {
    // Not base64: an image without a size.
    return undefined;
  }
}

function startsWith(bytes: DataView, text: string, at = 0): boolean {
  if (bytes.byteLength < at + text.length) return false;
  for (let i = 0; i < text.length; i++) if (bytes.getUint8(at + i) !== text.charCodeAt(i)) return false;
  return true;
}

function pngSize(bytes: DataView): ImageSize | undefined {
  if (!startsWith(bytes, '\x89PNG') || bytes.byteLength < 24) return undefined;
  return { width: bytes.getUint32(16), height: bytes.getUint32(20) };
}

function gifSize(bytes: DataView): ImageSize | undefined {
  if (!startsWith(bytes, 'GIF8') || bytes.byteLength < 10) return undefined;
  return { width: bytes.getUint16(6, true), height: bytes.getUint16(8, true) };
}

/** The three kinds of WebP each store the size in a place of their own. */
function webpSize(bytes: DataView): ImageSize | undefined {
  if (!startsWith(bytes, 'RIFF') || bytes.byteLength < 30) return undefined;
  if (startsWith(bytes, 'WEBPVP8X', 8)) {
    const uint24 = (at: number) => bytes.getUint16(at, true) + bytes.getUint8(at + 2) * 0x10000;
    return { width: uint24(24) + 1, height: uint24(27) + 1 };
  }
  if (startsWith(bytes, 'WEBPVP8L', 8)) {
    const bits = bytes.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
  }
  if (!startsWith(bytes, 'WEBPVP8 ', 8)) return undefined;
  return { width: bytes.getUint16(26, true) & 0x3fff, height: bytes.getUint16(28, true) & 0x3fff };
}

/** Walks from segment to segment up to the one that starts the frame. */
function jpegSize(bytes: DataView): ImageSize | undefined {
  if (!startsWith(bytes, '\xff\xd8')) return undefined;
  for (let at = 2; at + 9 <= bytes.byteLength && bytes.getUint8(at) === 0xff;) {
    const marker = bytes.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { width: bytes.getUint16(at + 7), height: bytes.getUint16(at + 5) };
    at += marker === 0xff ? 1 : 2 + bytes.getUint16(at + 2);
  }
  return undefined;
}
