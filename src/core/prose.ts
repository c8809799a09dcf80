import { isObject } from './message.js';

/** Shorter texts are names, kinds and titles more often than something that was said. */
const MIN_PROSE = 20;

/**
 * Three words in a row, or as much in a script without spaces between them: what people and models write. The first word is looked
 * for at its beginning only: a long one would be gone through again from each of its letters.
 */
const PROSE =
  /(?<![\p{L}\p{M}'’-])[\p{M}'’-]*(?:\p{L}[\p{L}\p{M}'’-]*[,;:.!?)"”]*\s+["“(]*){2}\p{L}{2}|[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}]{8,}/u;

/** How much is said of one part, in UTF-16 code units. */
const MAX_SAID = 200_000;

/** Whether a text looks like something that a person or a model wrote. */
export function isProse(text: string): boolean {
  return text.trim().length > MIN_PROSE && PROSE.test(text);
}

/** What a part of a content says that is neither text nor picture: the texts in it that somebody wrote, on lines of their own. */
export function proseOfPart(part: unknown): string {
  if (!isObject(part) || part.type === 'text' || part.type === 'image_url') return '';
  return textsIn(part, MAX_SAID).filter(isProse).join('\n');
}

/** The texts in a JSON value, in their order, as many as have so many UTF-16 code units. */
export function textsIn(value: unknown, most = Infinity): string[] {
  const texts: string[] = [];
  const waiting = [value];
  let length = 0;
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === 'string') {
      length += next.length;
      if (length <= most) texts.push(next);
    } else if (typeof next === 'object' && next !== null)
      for (const entry of Object.values(next).reverse()) waiting.push(entry);
  }
  return texts;
}
