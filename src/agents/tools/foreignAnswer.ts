import type { ImagePart } from '../../core/message.js';
import { pictureAsPart, pictureIn } from '../../core/picture.js';
import { firstCodePoints, preview } from '../../core/text.js';
import type { ToolResult } from '../../core/ports/tool.js';

/** A part of an external tool's answer: a text, or data of some type. */
export type ForeignPart = string | { readonly mimeType: string; readonly data: Uint8Array };

/** The longest text that is passed to a model, in code points; a longer one is cut with a note. */
const MAX_TEXT = 200_000;
/** Larger pictures, in bytes, are refused by providers of models, whose limits begin at 5 MB in base64. */
const MAX_PICTURE = 3_500_000;
/** How many pictures of one answer are passed on. */
const MAX_PICTURES = 8;

/** An external tool's answer for the model: its texts, its pictures, and a note for everything else. */
export function foreignAnswer(parts: readonly ForeignPart[]): ToolResult {
  const pictures: ImagePart[] = [];
  const texts = parts.map((part) => {
    if (typeof part === 'string') return part;
    const { mimeType, data } = part;
    if (/^text\/|[/+]json$/.test(mimeType)) return new TextDecoder().decode(data);
    const picture = pictures.length < MAX_PICTURES ? pictureOf(part) : undefined;
    if (picture) pictures.push(picture);
    return `(${preview(mimeType, 100)} of ${data.length} bytes${picture ? '' : ', which is not passed on'})`;
  });
  const content = cutAnswer(texts.join('\n'));
  return pictures.length === 0 ? { content } : { content, pictures };
}

/** An external text for a model; a text that is too long is cut with a note. */
export function cutAnswer(text: string): string {
  const shown = firstCodePoints(text, MAX_TEXT);
  const left = text.length - shown.length;
  return left === 0 ? text : `${shown}\n(cut: ${left} more characters)`;
}

function pictureOf({ mimeType, data }: Exclude<ForeignPart, string>): ImagePart | undefined {
  if (data.length > MAX_PICTURE) return undefined;
  const part = pictureAsPart({ mimeType, base64: Buffer.from(data).toString('base64') });
  return pictureIn(part) && part;
}
