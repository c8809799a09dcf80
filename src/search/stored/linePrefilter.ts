import { escapeRegExp } from '../../core/escapeRegExp.js';
import { asksForText, type TextCriteria } from '../../query/textTest.js';
import type { LineRun } from '../../store/read/readSpans.js';
import { PLAIN } from './contentSearch.js';

/**
 * The lines of a run that may be wanted, in order; `odd` says of each whether its bytes may not be those of its texts, where
 * that is known.
 */
export type LineFilter = (run: LineRun, odd?: readonly boolean[]) => readonly number[];

/**
 * Lines that have to be parsed: their text is elsewhere, or letters of `PLAIN`, the Kelvin sign or I with a dot are escaped
 * in them. What only commands a terminal is no letter, and stands in many results of tools.
 */
const UNDECIDED = '"spill":\\[|\\\\u(?:00[2-7]|212[Aa]|0130)';

/**
 * Finds the lines of a run that have to be parsed to find a text, by a search of their bytes at a tenth of the cost of
 * parsing. It may let lines through that do not match, never the reverse. Undefined where the text allows no such search.
 */
export function prefilterFor(criteria: TextCriteria): LineFilter | undefined {
  const needle = asksForText(criteria) ? criteria.text : criteria.content;
  if (typeof needle !== 'string' || criteria.regex || !PLAIN.test(needle)) return undefined;
  const escaped = escapeRegExp(needle);
  if (criteria.matchCase) return linesWith(`${escaped}|${UNDECIDED}`, '');
  // Two letters outside of ASCII have a lower case within it: the Kelvin sign and I with a dot; here in UTF-8.
  const folded = escaped.replace(/k/gi, '(?:k|\\xe2\\x84\\xaa)').replace(/i/gi, '(?:i|\\xc4\\xb0)');
  return linesWith(`${folded}|${UNDECIDED}`, 'i');
}

/** How many bytes of lines are looked through as one text: as many as the engine keeps at hand without asking for memory. */
const PIECE_BYTES = 96 * 1024;

/** Finds the lines of a run whose bytes match a pattern, taken as Latin-1. */
export function linesWith(source: string, flags: string): LineFilter {
  const pattern = new RegExp(source, `g${flags}`);
  return ({ bytes, spans }) => {
    const lines: number[] = [];
    for (let first = 0; first < spans.length;) {
      const from = spans[first]?.from ?? 0;
      let end = first + 1;
      while (end < spans.length && (spans[end]?.to ?? 0) - from <= PIECE_BYTES) end++;
      const text = bytes.toString('latin1', from, spans[end - 1]?.to);
      pattern.lastIndex = 0;
      let line = first;
      for (let hit = pattern.exec(text); hit; hit = pattern.exec(text)) {
        const at = from + hit.index;
        while (line < end && (spans[line]?.to ?? 0) <= at) line++;
        const span = spans[line];
        if (line >= end || !span) break;
        if (at >= span.from) lines.push(line);
        pattern.lastIndex = Math.max(span.to - from, pattern.lastIndex);
        line++;
      }
      first = end;
    }
    return lines;
  };
}
