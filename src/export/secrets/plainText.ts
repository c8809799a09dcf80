import type { Edit } from './colouredText.js';

/** Characters that hide a key without changing how it is shown: of no width, joiners, what turns or varies those beside it, tags. */
const HIDDEN =
  '(?:[\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0]|\\udb40[\\udc00-\\udfff])';
/** A printable character of ASCII as JSON, programs, a URL or HTML write it, and what has no width. */
const WRITTEN = new RegExp(
  `\\\\{1,8}u(?:00([2-7][0-9a-f])|\\{0{0,4}([2-7][0-9a-f])\\})|\\\\{1,8}x([2-7][0-9a-f])|%(?:25){0,3}([2-7][0-9a-f])` +
    `|\\\\{1,8}(1[0-7][0-7]|0[4-7][0-7])(?![0-9])|([\\uff01-\\uff5e])|["'] ?[+.] ?["'](?=[A-Za-z0-9])(?<=[A-Za-z0-9_-]{4}["'] ?[+.] ?["'])|&(?:amp;){0,3}#0{0,4}(3[2-9]|[4-9]\\d|1[01]\\d|12[0-6]);|&(?:amp;){0,3}#x0{0,4}([2-7][0-9a-f]);|&(?:amp;){0,3}(lowbar|dash|hyphen|period|sol|colon|equals|plus|amp);` +
    `|${HIDDEN}+`,
  'gi',
);
const NAMED: Readonly<Record<string, string>> = {
  lowbar: '_',
  dash: '-',
  hyphen: '-',
  period: '.',
  sol: '/',
  colon: ':',
  equals: '=',
  plus: '+',
  amp: '&',
};
const MAYBE = new RegExp(
  `\\\\(?:u(?:00[2-7]|\\{)|x[2-7])|%(?:25)*[2-7][0-9a-f]|&#|&(?:lowbar|dash|hyphen|period|sol|colon|equals|plus|amp);|${HIDDEN}|[\\uff01-\\uff5e]` +
    `|\\\\[01][0-7][0-7](?!\\d)|["'] ?[+.] ?["'](?=[A-Za-z0-9])(?<=[A-Za-z0-9_-]{4}["'] ?[+.] ?["'])`,
  'i',
);
/** A line break as JSON writes it. */
const ESCAPED_BREAK = '\\\\{1,8}r?\\\\{0,8}n';
/** What lines begin with that are quoted, commented out, in a difference or in a table. */
const LINE_MARK = '(?:[ \\t]{0,12}(?:>|\\+|#|//|\\||\\*)){0,2}[ \\t]{0,12}';
/** A line break, as it is, at the end of a line of a mail, or as JSON writes it. */
const BREAK = `(?:[=\\\\]?\\r?\\n|${ESCAPED_BREAK})${LINE_MARK}`;
/** A line break within a word that a shell joins, however short its line is. */
const CONTINUED = '\\\\\\r?\\n(?<=[A-Za-z0-9_+/-]{6}\\\\\\r?\\n)(?=[A-Za-z0-9_+/-]{4})';
/** Where a text of a program is put together of several lines. */
const GLUE = `["'][ \\t]{0,2}[+.\\\\]?[ \\t]{0,2}\\r?\\n[ \\t]{0,16}["']`;
const GLUED = `${GLUE}(?<=[A-Za-z0-9_+/-]{6}${GLUE})(?=[A-Za-z0-9_+/-]{4})`;
/**
 * Where a long line ends within what has no space, and the next one goes on with what is no beginning of a key of its own, as
 * in a list of them. What is rare is looked for first.
 */
const WRAPPED = new RegExp(
  `${CONTINUED}|${GLUED}|${BREAK}(?=[A-Za-z0-9_.+/-]{4})(?![A-Za-z][A-Za-z0-9]{1,11}[_-]|\\d{6,12}:)(?<=(?:(?!${ESCAPED_BREAK})[^\\n]){34}[A-Za-z0-9_.+/-]{6}${BREAK})`,
  'g',
);

/** Whether a text may write characters in another way; most do not, so this costs next to nothing. */
export function mayBeWritten(text: string): boolean {
  return MAYBE.test(text);
}

/** Whether a text may have long words over several lines. */
export function mayBeWrapped(text: string): boolean {
  return text.length > 40 && text.search(WRAPPED) >= 0;
}

/**
 * A text as it is meant, of which edits go into the text as it is written: without escapes and what has no width, or without the
 * line breaks within long words.
 */
export class PlainText {
  /** What is meant. */
  readonly text: string;
  #source: string;
  /** Of each character of what is meant where it begins in the source, and the length of the source. */
  #starts: number[] = [];
  #edits: Edit[] = [];

  constructor(source: string, isWrapped = false) {
    this.#source = source;
    let [text, from] = ['', 0];
    const take = (to: number) => {
      for (let at = from; at < to; at++) this.#starts.push(at);
      text += source.slice(from, to);
    };
    for (const match of source.matchAll(isWrapped ? WRAPPED : WRITTEN)) {
      take(match.index);
      const meant = isWrapped ? '' : meantBy(match);
      if (meant !== '') this.#starts.push(match.index);
      text += meant;
      from = match.index + match[0].length;
    }
    take(source.length);
    this.#starts.push(source.length);
    this.text = text;
  }

  /** What is written, with the edits that were settled. */
  get source(): string {
    return this.#source;
  }

  /** Where a character of what is meant begins in what is written. */
  from(at: number): number {
    return this.#starts[at] ?? this.#source.length;
  }

  /** Whether something is written there that is not meant as it is. */
  isTouched(start: number, end: number): boolean {
    return this.from(end) - this.from(start) !== end - start;
  }

  /** Takes note of an edit of the plain text as it is at the moment; those of one round stand in order. */
  note(edit: Edit): void {
    this.#edits.push(edit);
  }

  /** Ends a round of edits: from here on positions are those of the edited text. */
  settle(): void {
    if (this.#edits.length === 0) return;
    const starts: number[] = [];
    let [source, next] = ['', 0];
    const keep = (to: number) => {
      const moved = source.length - this.from(next);
      for (let at = next; at < to; at++) starts.push(this.from(at) + moved);
      source += this.#source.slice(this.from(next), this.from(to));
    };
    for (const { start, end, by } of this.#edits) {
      keep(start);
      for (let at = 0; at < by.length; at++) starts.push(source.length + at);
      source += by;
      next = end;
    }
    keep(this.#starts.length - 1);
    starts.push(source.length);
    this.#edits = [];
    this.#starts = starts;
    this.#source = source;
  }
}

function meantBy([, json, braced, byte, url, octal, wide, decimal, hex, name]: RegExpMatchArray): string {
  const digits = json ?? braced ?? byte ?? url ?? hex;
  if (digits !== undefined) return String.fromCharCode(Number.parseInt(digits, 16));
  if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
  if (wide !== undefined) return String.fromCharCode(wide.charCodeAt(0) - 0xfee0);
  if (decimal !== undefined) return String.fromCharCode(Number(decimal));
  return name === undefined ? '' : (NAMED[name.toLowerCase()] ?? '');
}
