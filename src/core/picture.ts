import { isObject, type ImagePart } from './message.js';

/** A `data:` URL of one of the image types that every provider of vision models accepts. */
const SENT = /^data:(image\/(?:png|jpeg|gif|webp));base64,([A-Za-z0-9+/]+={0,2})$/;

/** An image; `base64` without line breaks. */
export interface Picture {
  readonly mimeType: string;
  readonly base64: string;
}

/** A picture as a part of a message's content. */
export function pictureAsPart({ mimeType, base64 }: Picture): ImagePart {
  return { type: 'image_url', image_url: { url: `data:${mimeType};base64,${base64}` } };
}

/** The picture in a content part; undefined where there is none, or it is remote or truncated. */
export function pictureIn(part: unknown): Picture | undefined {
  if (!isObject(part) || part.type !== 'image_url' || !isObject(part.image_url)) return undefined;
  const { url } = part.image_url;
  const [, mimeType, base64] = (typeof url === 'string' ? SENT.exec(url) : null) ?? [];
  return mimeType === undefined || base64 === undefined || base64.length % 4 !== 0
    ? undefined
    : { mimeType, base64 };
}

/** The address on the web of the picture in a content part; undefined where there is none. */
export function pictureAddressIn(part: unknown): string | undefined {
  if (!isObject(part) || part.type !== 'image_url') return undefined;
  const given = isObject(part.image_url) ? part.image_url.url : part.image_url;
  if (typeof given !== 'string' || !/^https?:/i.test(given) || !URL.canParse(given)) return undefined;
  return new URL(given).href;
}

/** The parts of a message's content that hold a picture; empty where the content is a text. */
export function picturesOf(content: unknown): readonly ImagePart[] {
  if (!Array.isArray(content)) return [];
  return content.filter((part): part is ImagePart => pictureIn(part) !== undefined);
}
