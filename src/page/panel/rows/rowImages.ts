import { clipName } from '../../../query/numbers/values.js';
import type { UnknownRecord } from '../../../core/record.js';
import type { RowImages } from '../../protocol/row.js';
import { messageIn } from '../../../query/numbers/transcriptItem.js';
import { imageUrlOf, MAX_PARTS, partsOf, spillOf } from './rowFields.js';

const SHOWN = /^data:image\/(?:png|jpeg|gif|webp|avif|bmp|svg\+xml)[;,]/i;

/** The pictures of a record's message, including spilled ones. */
export function imagesOf(record: UnknownRecord): RowImages {
  const parts = partsOf(messageIn(record)).slice(0, MAX_PARTS);
  return parts.flatMap((part, index) => {
    const url = imageUrlOf(part);
    if (url === undefined) return [];
    const shown = SHOWN.test(url);
    const type = shown ? url.slice('data:'.length, url.search(/[;,]/)) : 'remote';
    const characters = spillOf(record, 'content', index)?.bytes ?? url.length;
    return [{ part: index, type: clipName(type), characters, shown }];
  });
}
