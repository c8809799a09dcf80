import { isAscii } from 'node:buffer';
import { escapeRegExp } from '../../core/escapeRegExp.js';
import { requiredTexts } from '../../query/requiredTexts.js';
import type { Term, Value } from '../../query/language/syntax.js';
import { compilePattern } from '../../query/language/values.js';
import type { LineRun } from '../../store/read/readSpans.js';
import { literalSearch, sequenceSearch, type ByteSearch } from './byteSearch.js';

/** Names the lines of a run that have to be parsed; `odd` says of each whether it is not plain, where that is known. */
export type LineFilter = (run: LineRun, odd?: readonly boolean[]) => readonly number[];

/** Texts of these characters are the same in JSON, whoever wrote it; `INNER_ESCAPE` goes by them. */
const PLAIN = /^[A-Za-z0-9 _.,:;()=*#@!?$%^|~[\]{}-]+$/;
/** The longest text that is looked for in bytes. */
const MAX_LENGTH = 1_000;

/** A text that stands as it is in the bytes of every journal in which a value of a term is found. */
export interface RawText {
  readonly text: string;
  readonly ignoresCase: boolean;
}

const TEXT_FIELDS: ReadonlySet<string> = new Set(['text', 'word', 'content', 'content.word']);

/** The texts of which one stands in the bytes of a journal in which a term holds; undefined where that is not known. */
export function rawTextsOf({ field, values }: Term): readonly RawText[] | undefined {
  if (!TEXT_FIELDS.has(field)) return undefined;
  const texts = values.map(rawTextsOfValue);
  const known = texts.filter((some) => some !== undefined);
  return known.length === texts.length ? known.flat() : undefined;
}

function rawTextsOfValue(value: Value): readonly RawText[] | undefined {
  if (value.kind === 'text') {
    const { text, exact } = value;
    return isPlain(text) ? [{ text, ignoresCase: !exact }] : undefined;
  }
  return value.kind === 'pattern' ? rawTextsOfPattern(compilePattern(value.source, value.flags)) : undefined;
}

/** The texts of which one stands as it is in the bytes of all in which a pattern matches; undefined where none is known. */
export function rawTextsOfPattern(pattern: RegExp): readonly RawText[] | undefined {
  // Of all that stands where it matches in one way, the longest is the rarest.
  const longest = requiredTexts(pattern)?.map(
    (texts) => texts.filter(isPlain).sort((a, b) => b.length - a.length)[0],
  );
  const known = longest?.filter((text) => text !== undefined) ?? [];
  if (known.length === 0 || known.length !== longest?.length) return undefined;
  return [...new Set(known)].map((text) => ({ text, ignoresCase: pattern.ignoreCase }));
}

/** Whether a text is the same in JSON, whoever wrote it. */
function isPlain(text: string): boolean {
  return text.length <= MAX_LENGTH && PLAIN.test(text);
}

/**
 * Finds the lines of a journal in which one of some texts stands, or of which that cannot be told; it may find others too,
 * and never misses one.
 */
export function linesWithAny(texts: readonly RawText[]): LineFilter {
  const plain = texts.map(({ text, ignoresCase }) => literalSearch(text, ignoresCase));
  const all = [...plain, ...undecided(texts)];
  return ({ bytes, spans }, odd) => {
    const marks = odd ? Uint8Array.from(odd, Number) : new Uint8Array(spans.length);
    for (const search of odd ? plain : all) {
      const next = search.over(bytes);
      let line = 0;
      for (let at = next(0); at >= 0;) {
        while (line < spans.length && (spans[line]?.to ?? 0) <= at) line++;
        const span = spans[line];
        if (!span) break;
        if (at >= span.from) marks[line] = 1;
        at = next(at >= span.from ? span.to : at + 1);
      }
    }
    const lines: number[] = [];
    for (let line = 0; line < marks.length; line++) if (marks[line] === 1) lines.push(line);
    return lines;
  };
}

/**
 * What is looked for in bytes to tell whether one of some texts stands there. What may stand for other characters is looked
 * for too, and so is what refers to a text that is elsewhere.
 */
export function searchesFor(texts: readonly RawText[]): readonly ByteSearch[] {
  const known = searchesOfTexts.get(texts);
  if (known) return known;
  const plain = texts.map(({ text, ignoresCase }) => literalSearch(text, ignoresCase));
  const made = [...plain, ...undecided(texts)];
  searchesOfTexts.set(texts, made);
  return made;
}

/** What the texts of a question are looked for by, in one journal after the other: it has learned how rare letters are. */
const searchesOfTexts = new WeakMap<readonly RawText[], readonly ByteSearch[]>();

/**
 * Whether a text of plain characters that stands in a line stands in its bytes: nothing in it refers to a text that is
 * elsewhere, no such character is escaped, and no letter beyond ASCII has a letter case within it.
 */
export function isPlainLine(line: Buffer): boolean {
  const marks = [
    SPILLED,
    ...(line.includes('\\u') ? ESCAPED_MARKS : []),
    ...(isAscii(line) ? [] : LETTER_MARKS),
  ];
  return marks.every((search) => search.over(line)(0) < 0);
}

/** The same as patterns of ripgrep. */
export function patternsFor(texts: readonly RawText[]): readonly string[] {
  const wanted = texts.map(({ text, ignoresCase }) => `${ignoresCase ? '(?i)' : ''}${escapeRegExp(text)}`);
  return [...wanted, ...UNDECIDED_PATTERNS, ...foldingIn(texts).map(({ pattern }) => pattern)];
}

/** Where the bytes do not tell: see `isPlainLine`. */
function undecided(texts: readonly RawText[]): readonly ByteSearch[] {
  return [SPILLED, ESCAPED, ...foldingIn(texts).flatMap(({ searches }) => searches)];
}

/** Letters beyond ASCII matter only where they have a case among the texts. */
function foldingIn(texts: readonly RawText[]): readonly Folding[] {
  const folded = texts.flatMap(({ text, ignoresCase }) => (ignoresCase ? [text.toLowerCase()] : []));
  return FOLDING.filter(({ letter }) => folded.some((text) => text.includes(letter)));
}

const SPILL = Buffer.from('"spill":[');
const SPILLED = sequenceSearch(SPILL);

const BACKSLASH = 0x5c;
/** So many letters tell how an escape goes on. */
const MAX_END = 2;
/**
 * What follows `\u00` in an escape of a character of `PLAIN`, or of a backslash, which may begin another: arguments are JSON
 * within JSON. Not what many programs escape to be safe in HTML: quotes, `&`, `+`, `/`, `<`, `>` and the grave accent.
 */
const INNER_ESCAPE = '(?:2[013-589ac-eAC-E]|3[0-9abdfABDF]|[45]|6[1-9a-fA-F]|7[0-9a-eA-E])';
const ESCAPED = escapeSearch('u00', new RegExp(`^${INNER_ESCAPE}`));
/** The letters beyond ASCII that have a case within it: the Kelvin sign, the i with a dot, and the long s. */
const FOLDING: readonly Folding[] = [
  {
    letter: 'k',
    searches: [escapeSearch('u212', /^a/i), sequenceSearch(Buffer.from('\u212a'))],
    pattern: '\\\\u212[Aa]|\\x{212a}',
  },
  {
    letter: 'i',
    searches: [escapeSearch('u013', /^0/), sequenceSearch(Buffer.from('\u0130'))],
    pattern: '\\\\u0130|\\x{0130}',
  },
  {
    letter: 's',
    searches: [escapeSearch('u017', /^f/i), sequenceSearch(Buffer.from('\u017f'))],
    pattern: '\\\\u017[Ff]|\\x{017f}',
  },
];
/** What stands behind a backslash, and what is beyond ASCII. */
const ESCAPED_MARKS = [ESCAPED, ...FOLDING.flatMap(({ searches: [escaped] }) => escaped)];
const LETTER_MARKS = FOLDING.flatMap(({ searches: [, letter] }) => letter);
/** What the first two are as patterns of ripgrep. */
const UNDECIDED_PATTERNS = ['"spill":\\[', `\\\\u00${INNER_ESCAPE}`];

/** A letter within ASCII that is the case of one beyond, and how that one is found in bytes, and by ripgrep. */
interface Folding {
  readonly letter: string;
  /** For its escape in JSON, and for itself. */
  readonly searches: readonly [escaped: ByteSearch, letter: ByteSearch];
  readonly pattern: string;
}

/** Looks for an escape in JSON that begins in some way and goes on in another. */
function escapeSearch(begin: string, end: RegExp): ByteSearch {
  const { length } = begin;
  return sequenceSearch(
    Buffer.from(begin),
    (bytes, at) =>
      bytes[at - 1] === BACKSLASH && end.test(bytes.toString('latin1', at + length, at + length + MAX_END)),
  );
}
