import type { CompiledCriteria } from '../../query/compileCriteria.js';
import type { FilterCriteria } from '../../query/filterCriteria.js';
import { escapeRegExp } from '../../core/escapeRegExp.js';
import { asksForText } from '../../query/textTest.js';
import type { LineRun } from '../read/readSpans.js';

/** Texts of these characters are the same in JSON, whoever wrote it. */
const PLAIN = /^[A-Za-z0-9 _.,:;()=*#@!?$%^|~[\]{}-]+$/;
/** Lines that have to be parsed: their text is elsewhere, or its letters may be escaped. */
const UNDECIDED = '"spill":\\[|\\\\u';

/**
 * Finds the lines of a run that have to be parsed, by a search of their bytes at a tenth of the cost of parsing. It may
 * let lines through that do not match, never the reverse. Undefined where the criteria allow no such search.
 */
export function prefilterFor(
  criteria: FilterCriteria,
  { needsPairing }: CompiledCriteria,
): ((run: LineRun) => readonly number[]) | undefined {
  if (criteria.errorsOnly) return undefined;
  const needle = asksForText(criteria) ? criteria.text : criteria.content;
  // To pair results with calls, all lines with the word `tool` are needed, and no others.
  if (needsPairing || criteria.toolName !== undefined) return linesWith('tool', '');
  if (typeof needle !== 'string' || criteria.regex || !PLAIN.test(needle)) return undefined;
  const escaped = escapeRegExp(needle);
  if (criteria.matchCase) return linesWith(`${escaped}|${UNDECIDED}`, '');
  // Two letters outside of ASCII have a lower case within it: the Kelvin sign and I with a dot; here in UTF-8.
  const folded = escaped.replace(/k/gi, '(?:k|\\xe2\\x84\\xaa)').replace(/i/gi, '(?:i|\\xc4\\xb0)');
  return linesWith(`${folded}|${UNDECIDED}`, 'i');
}

/** Finds the lines of a run whose bytes match a pattern, taken as Latin-1. */
export function linesWith(source: string, flags: string): (run: LineRun) => readonly number[] {
  const pattern = new RegExp(source, `g${flags}`);
  return ({ bytes, spans }) => {
    const text = bytes.toString('latin1');
    const lines: number[] = [];
    let line = 0;
    pattern.lastIndex = 0;
    for (let hit = pattern.exec(text); hit; hit = pattern.exec(text)) {
      while (line < spans.length && (spans[line]?.to ?? 0) <= hit.index) line++;
      const span = spans[line];
      if (!span) break;
      if (hit.index >= span.from) lines.push(line);
      pattern.lastIndex = Math.max(span.to, pattern.lastIndex);
      line++;
    }
    return lines;
  };
}
