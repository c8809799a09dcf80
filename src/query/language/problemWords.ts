import { t } from '../../core/l10n.js';
import { nearest } from '../../core/nearest.js';
import { firstCodePoints } from '../../core/text.js';
import { foldWhiteSpace } from '../../core/visibleText.js';
import type { Field } from './fields.js';
import type { QueryProblem, Range } from './syntax.js';
import { quoted, shown, type RawValue } from './values.js';

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

/** What is wrong with the name of a program. */
interface ProgramProblem {
  readonly message: string;
  /** A term to write instead, or a value of the same term. */
  readonly term?: string;
  readonly value?: string;
}

/** Says why a value behind `command:` can be no program that is run; undefined where it may be one. */
export function programProblem({ text, operator }: RawValue): ProgramProblem | undefined {
  if (operator === '' && /\s/.test(text)) {
    const term = `args.command:${quoted(text)}`;
    const message = t`command: takes the name of a program alone. To look for more of a command line, write ${shown(term)}; if there is a blank in the name itself, command:=${shown(quoted(text))}.`;
    return { message, term };
  }
  if (!text.endsWith('/')) return undefined;
  const [, name] = /^\/?([\w.+-]+)\/$/.exec(text) ?? [];
  const message = t`command: takes the name of a program, also with its folder, such as rm or /bin/rm; this ends with a slash. It takes no pattern, but \`*\` stands for any characters.`;
  return { message, ...(name !== undefined && { value: name }) };
}

/** Values of a written list that a word may have been meant for. */
export function meantValues({ values }: Field, text: string): readonly string[] {
  if (!Array.isArray(values)) return [];
  const known = values as readonly string[];
  const begun = text.length > 1 ? known.filter((each) => each.startsWith(text.toLowerCase())) : [];
  return begun[0] ? begun : nearest(text, known);
}
