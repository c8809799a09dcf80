import { characterClass, type ClassifiedText } from './classifiedText.js';

const { upper, lower, letter, other, number, space, lineEnd } = characterClass;
const SPACE = 0x20;
const SLASH = 0x2f;
const APOSTROPHE = 0x27;
const CR = 0x0d;
const LF = 0x0a;

/**
 * Gives the end of the piece that starts at `at` (before the text's end). Pieces are the matches of an encoding's split
 * pattern; no token spans two of them. Each piece is read at most three times, whatever the text.
 */
export type PieceEnd = (text: ClassifiedText, at: number) => number;

/** The pieces of o200k_base: words with their contraction, split where upper case follows lower case. */
export const pieceEndO200k: PieceEnd = (text, at) => {
  const first = text.classAt(at);
  if ((first & (upper | lower)) !== 0) return endOfCasedWord(text, at);
  if ((first & number) !== 0) return endOfNumber(text, at);
  const next = text.next(at);
  if ((first & lineEnd) === 0) {
    const second = text.classAt(next);
    if ((second & (upper | lower)) !== 0) return endOfCasedWord(text, next);
    const symbols = text.bytes[at] === SPACE && (second & other) !== 0;
    if (symbols || (first & other) !== 0) {
      let end = text.endOfRun(next, other);
      while (isLineEnd(text, end) || text.bytes[end] === SLASH) end++;
      return end;
    }
  }
  return endOfSpace(text, at);
};

/** The pieces of cl100k_base: words of any case, contractions separate. */
export const pieceEndCl100k: PieceEnd = (text, at) => {
  const contraction = endOfContraction(text, at);
  if (contraction > at) return contraction;
  const first = text.classAt(at);
  if ((first & letter) !== 0) return text.endOfRun(at, letter);
  if ((first & number) !== 0) return endOfNumber(text, at);
  const next = text.next(at);
  if ((first & lineEnd) === 0) {
    const second = text.classAt(next);
    if ((second & letter) !== 0) return text.endOfRun(next, letter);
    const symbols = text.bytes[at] === SPACE && (second & other) !== 0;
    if (symbols || (first & other) !== 0) {
      let end = text.endOfRun(next, other);
      while (isLineEnd(text, end)) end++;
      return end;
    }
  }
  return endOfSpace(text, at);
};

/**
 * The end of a word of upper-case, then lower-case letters; characters that count as both (other scripts, marks) may be
 * in either part. Without a lower-case letter, the word ends after its last such character, or else is all upper case.
 */
function endOfCasedWord(text: ClassifiedText, at: number): number {
  let end = at;
  let lastBoth = at;
  for (;;) {
    const found = text.classAt(end);
    if ((found & upper) === 0) {
      if ((found & lower) !== 0) return endOfContraction(text, text.endOfRun(end, lower));
      return endOfContraction(text, lastBoth > at ? lastBoth : end);
    }
    end = text.next(end);
    if ((found & lower) !== 0) lastBoth = end;
  }
}

/** The position after 's, 't, 'm, 'd, 're, 've or 'll in any letter case; `at` where none starts there. */
function endOfContraction(text: ClassifiedText, at: number): number {
  const { bytes } = text;
  if (bytes[at] !== APOSTROPHE) return at;
  const first = (bytes[at + 1] ?? 0) | 0x20;
  const second = (bytes[at + 2] ?? 0) | 0x20;
  switch (String.fromCharCode(first)) {
    case 's':
    case 't':
    case 'm':
    case 'd':
      return at + 2;
    case 'r':
    case 'v':
      return second === 0x65 ? at + 3 : at;
    case 'l':
      return second === 0x6c ? at + 3 : at;
    default:
      // U+017F is a long s, which equals s where the pattern ignores case.
      return bytes[at + 1] === 0xc5 && bytes[at + 2] === 0xbf ? at + 3 : at;
  }
}

function endOfNumber(text: ClassifiedText, at: number): number {
  const second = text.next(at);
  if ((text.classAt(second) & number) === 0) return second;
  const third = text.next(second);
  return (text.classAt(third) & number) === 0 ? third : text.next(third);
}

/** The end of white space: after its last line end, if any; else, at the text's end, all of it; else all but the last. */
function endOfSpace(text: ClassifiedText, at: number): number {
  let end = at;
  let last = at;
  let lastLineEnd = at;
  for (;;) {
    const found = text.classAt(end);
    if ((found & space) === 0) break;
    last = end;
    end = text.next(end);
    if ((found & lineEnd) !== 0) lastLineEnd = end;
  }
  if (lastLineEnd > at) return lastLineEnd;
  return end === text.length || last === at ? end : last;
}

function isLineEnd(text: ClassifiedText, at: number): boolean {
  return text.bytes[at] === LF || text.bytes[at] === CR;
}
