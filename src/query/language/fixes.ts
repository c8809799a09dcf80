import { t } from '../../core/l10n.js';
import type { QueryProblem, Range } from './syntax.js';

/** An `AND`, and what is cut out with it: the blanks behind it. */
export interface WrittenAnd {
  readonly word: Range;
  readonly cut: Range;
}

/** One problem for all `OR` outside of brackets: brackets around the whole make all of them right. */
export function problemOfOrs(text: string, [first]: readonly Range[]): QueryProblem | undefined {
  if (!first) return undefined;
  const message = t`\`OR\` stands only in brackets: (a OR b). To look for the word, write "OR".`;
  const whole = text.trim();
  const hasBothSides = !/^OR(?=[\s(]|$)|(?:^|[\s)])OR$/.test(whole);
  if (!hasBothSides) return { ...first, message, fix: '"OR"' };
  return { ...first, message, fix: `(${whole})`, fixedRange: { start: 0, end: text.length } };
}

/** One problem for all `AND`: without them the question asks what they were meant to. */
export function problemOfAnds(text: string, ands: readonly WrittenAnd[]): QueryProblem | undefined {
  const [first] = ands;
  if (!first) return undefined;
  const message = t`Terms side by side must all hold: leave \`AND\` out. To look for the word, write "AND".`;
  let [rest, at] = ['', 0];
  for (const { cut } of ands) {
    rest += text.slice(at, cut.start);
    at = cut.end;
  }
  rest = (rest + text.slice(at)).trim();
  if (rest === '') return { ...first.word, message, fix: '"AND"' };
  return { ...first.word, message, fix: rest, fixedRange: { start: 0, end: text.length } };
}
