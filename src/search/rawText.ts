import { closeSync, fstatSync, readSync } from 'node:fs';
import { openPlainFileSync } from '../node/plainFile.js';
import { requiredLiteral } from '../query/requiredLiteral.js';
import type { Term, Value } from '../query/language/syntax.js';
import { compilePattern } from '../query/language/values.js';
import { caselessFind } from '../store/search/indexed/caselessFind.js';

/** Texts of these characters are the same in JSON, whoever wrote it. */
const PLAIN = /^[A-Za-z0-9 _.,:;()=*#@!?$%^|~[\]{}-]+$/;
/** How many bytes of a journal are looked through at a time. */
const PIECE_BYTES = 4 * 1024 * 1024;
/** The longest text that is looked for in bytes, and so how much of a piece is looked through with the next one too. */
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
  const texts = values.map(rawTextOf);
  const known = texts.filter((text) => text !== undefined);
  return known.length === texts.length ? known : undefined;
}

function rawTextOf(value: Value): RawText | undefined {
  const found =
    value.kind === 'text'
      ? { text: value.text, ignoresCase: !value.exact }
      : value.kind === 'pattern'
        ? { text: literalOf(value.source, value.flags), ignoresCase: value.flags.includes('i') }
        : undefined;
  if (found?.text === undefined || found.text.length > MAX_LENGTH || !PLAIN.test(found.text))
    return undefined;
  return { ...found, text: found.text };
}

function literalOf(source: string, flags: string): string | undefined {
  return requiredLiteral(compilePattern(source, flags));
}

/**
 * What may stand for other characters in bytes, or for a text that is elsewhere: a reference to it, an escape of a
 * printable character, and the letters beyond ASCII with a letter case within it, as UTF-8 and escaped.
 */
const UNDECIDED = ['"spill":['];
const ESCAPED = /\\u(?:00[2-7]|212a|0130|017f)/i;
const FOLDING = ['\xe2\x84\xaa', '\xc4\xb0', '\xc5\xbf'];

/** Whether one of some texts may stand in a file, or whether that cannot be told. Throws errors of the file system. */
export function mayStandIn(path: string, texts: readonly RawText[]): boolean {
  const file = openPlainFileSync(path);
  try {
    const { size } = fstatSync(file);
    const buffer = Buffer.allocUnsafe(Math.min(size, PIECE_BYTES) + MAX_LENGTH);
    let held = 0;
    for (let at = 0; at < size;) {
      const read = readSync(file, buffer, held, Math.min(PIECE_BYTES, size - at), at);
      if (read === 0) break;
      at += read;
      const piece = buffer.toString('latin1', 0, held + read);
      if (texts.some((text) => stands(text, piece)) || isUndecided(piece, texts)) return true;
      const overlap = Math.min(held + read, MAX_LENGTH);
      buffer.copyWithin(0, held + read - overlap, held + read);
      held = overlap;
    }
    return false;
  } finally {
    closeSync(file);
  }
}

function stands({ text, ignoresCase }: RawText, piece: string): boolean {
  return ignoresCase ? caselessFind(piece, text.toLowerCase())(0) >= 0 : piece.includes(text);
}

function isUndecided(piece: string, texts: readonly RawText[]): boolean {
  if (UNDECIDED.some((mark) => piece.includes(mark))) return true;
  if (piece.includes('\\u') && ESCAPED.test(piece)) return true;
  const mayFold = texts.some(({ text, ignoresCase }) => ignoresCase && /[iks]/i.test(text));
  return mayFold && FOLDING.some((letter) => piece.includes(letter));
}
