import { t } from '../../core/l10n.js';
import { firstCodePoints } from '../../core/text.js';
import { foldWhiteSpace } from '../../core/visibleText.js';
import type { QueryProblem } from './syntax.js';

/** How much of a question is repeated, in code points. */
const MAX_REPEATED = 60;

/**
 * What is wrong with a question and where, on one line that a person can read: the part that is not understood, cut where
 * it is long, and the number of its first character, from 1.
 */
export function problemWords(question: string, [first]: readonly QueryProblem[]): string {
  if (!first) return t`The question ${repeated(question)} is not understood.`;
  const { start, end, message, fix } = first;
  const character = Array.from(question.slice(0, start)).length + 1;
  const part = question.slice(start, end);
  const place =
    part.trim() === '' ? t`character ${character}` : t`${repeated(part)} (character ${character})`;
  // A part of it would be wrong.
  const isShort = fix !== undefined && fix.length <= MAX_REPEATED && !/[\r\n]/.test(fix);
  const instead = isShort ? t` Write ${fix} instead.` : '';
  return t`The question is not understood at ${place}: ${foldWhiteSpace(message)}${instead}`;
}

function repeated(part: string): string {
  const line = foldWhiteSpace(part);
  const head = firstCodePoints(line, MAX_REPEATED);
  return head.length < line.length ? `"${head}…"` : `"${line}"`;
}
