import { createHash } from 'node:crypto';
import { firstCodePoints } from '../../core/text.js';

const PLAIN = /^[a-z0-9_][a-z0-9_.-]{0,99}$/;
/** Names that Windows reserves for devices, in any letter case, with any extension; it ignores spaces before that. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d¹²³]) *(?:\.|$)/i;

/** The longest name that is made of a title, in code points and in UTF-8 bytes; file systems end at 255 bytes. */
const MAX_TITLE = 60;
const MAX_TITLE_BYTES = 180;

/**
 * A file name for an id: the id itself where it is valid on every system, else its readable characters and a hash.
 * Two ids never share a name, even where the file system ignores letter case.
 */
export function safeFileName(id: string): string {
  if (PLAIN.test(id) && !id.endsWith('.') && !DEVICE.test(id)) return id;
  const readable = id
    .slice(0, 40)
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '-');
  const hash = createHash('sha256').update(Buffer.from(id, 'utf16le')).digest('hex');
  return `${readable}~${hash.slice(0, 16)}`;
}

/**
 * A file name that a person recognises, made of a title and an extension without its dot: valid on every system, and
 * never a device of Windows. `otherwise` stands for a title of which nothing is left.
 */
export function titleFileName(title: string, extension: string, otherwise: string): string {
  const readable = title
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N} _-]+/gu, ' ')
    .replace(/ {2,}/g, ' ')
    .trim();
  const name = firstBytes(firstCodePoints(readable, MAX_TITLE), MAX_TITLE_BYTES).trim() || otherwise;
  return `${DEVICE.test(name) ? `_${name}` : name}.${extension}`;
}

/** A name made of a title, see `titleFileName`, that is not taken, in any letter case; it is from then on. */
export function freeFileName(title: string, extension: string, taken: Set<string>): string {
  const readable = title.replace(/\[REDACTED:([^:\]]{1,100})[^\]]{0,100}]/g, '$1');
  for (let number = 1; ; number++) {
    const name = titleFileName(number === 1 ? readable : `${number} ${readable}`, extension, 'transcript');
    if (taken.has(name.toLowerCase())) continue;
    taken.add(name.toLowerCase());
    return name;
  }
}

/** The longest prefix of a text with at most `limit` bytes in UTF-8. */
function firstBytes(text: string, limit: number): string {
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > limit) break;
    end += character.length;
  }
  return text.slice(0, end);
}

/** Whether an untrusted name is that of an entry in a folder, and not a path to somewhere else. */
export function isEntryName(name: string): boolean {
  return name.length > 0 && name.length <= 255 && !name.startsWith('.') && !/[/\\\0]/.test(name);
}
