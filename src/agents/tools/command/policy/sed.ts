import { isPlainPath } from './program.js';
import type { CheckedPath } from './program.js';

/**
 * What stands between two marks. A mark behind a backslash or in brackets ends nothing for sed, so that what we take
 * for a text would be a command: there is none of either. Each script can be read in one way only, here and below:
 * with two for each piece the search for one that fits would never end.
 */
const pattern = (mark: string) =>
  String.raw`(?:(?!${mark})[^\\[\n]|\\(?!${mark})[^\n]|\[(?:\^(?!${mark})[^\n]|(?!${mark})[^^\n])(?:(?!${mark})[^\]\n])*\])`;
const text = (mark: string) => String.raw`(?:(?!${mark})[^\\\n]|\\(?!${mark})[^\n])*`;
const address = String.raw`(?:\d+|\$|\/${pattern('/')}+\/I?)`;
const lines = String.raw`(?:${address}(?:,(?:${address}|\+\d+))?!? *)?`;
/** Behind the last mark nothing but known letters; others write files or run programs. */
const replacement = String.raw`s([/|#,:@])${pattern(String.raw`\1`)}*\1${text(String.raw`\1`)}\1[gpiI\d]*`;
const script = new RegExp(`^ *${lines}(?:[pdqG=]|${replacement})(?: *; *${lines}[pdqG=])* *$`);

/** A longer script is not looked into. */
const MAX_SCRIPT = 1_000;

/** What a call of sed looks at, if it prints, leaves out or replaces; undefined where its script may do more. */
export function looksOfSed(words: readonly string[]): readonly CheckedPath[] | undefined {
  const call = readSed(words);
  return call && !call.inPlace ? call.files.map((path) => ({ path, what: 'contents' })) : undefined;
}

/** What a call of sed changes in its place. */
export interface EditedBySed {
  readonly files: readonly string[];
  /** What it puts behind their names for what they held before; empty where it keeps nothing. */
  readonly backup: string;
}

/** The files that a call of sed changes in their place, if it does nothing else; undefined where it may do more. */
export function editedBySed(words: readonly (string | undefined)[]): EditedBySed | undefined {
  const known = words.filter((word) => word !== undefined);
  const call = known.length === words.length ? readSed(known) : undefined;
  return call?.inPlace ? call : undefined;
}

/** With another ending than the usual ones, the copy could be a file that decides something. */
const isInPlace = /^-i(\.(bak|orig|old|tmp))?$/;

function readSed(words: readonly string[]) {
  const scripts: string[] = [];
  const files: string[] = [];
  let inPlace = false;
  let backup = '';
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (word === '-e') scripts.push(words[++at] ?? '');
    else if (isInPlace.test(word)) [inPlace, backup] = [true, word.slice('-i'.length)];
    else if (/^-[nErsuz]+$/.test(word)) continue;
    else if (word.startsWith('-')) return undefined;
    else files.push(word);
  }
  if (scripts.length === 0) scripts.push(files.shift() ?? '');
  const isHarmless =
    scripts.every((one) => one.length <= MAX_SCRIPT && script.test(one)) && files.every(isPlainPath);
  return isHarmless ? { files, inPlace, backup } : undefined;
}
