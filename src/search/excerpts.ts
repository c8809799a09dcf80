import { escapeRegExp } from '../core/escapeRegExp.js';
import { withoutColours } from '../core/terminalColours.js';
import { endsWithin } from '../node/patterns/timeGuard.js';
import type { Excerpt, Mark } from '../page/protocol/search.js';
import { termsIn, type QueryPlan } from '../query/language/plan.js';
import type { Term, Value } from '../query/language/syntax.js';
import { wholeWordSource } from '../query/literalSearch.js';
import { compilePattern } from '../query/language/values.js';

/** How much is shown before and after the first match, and in all, in UTF-16 code units. */
const BEFORE = 60;
const LENGTH = 300;
const MAX_MARKS = 50;
/** A longer text is too large for a pattern; so much of one is marked, in UTF-16 code units. */
const MAX_LITERAL = 1_000;
/** How long the marks of one excerpt may take, in milliseconds; without them it is only less clear. */
const MAX_MARKING_MS = 50;
/**
 * Of literals, looking through a text takes at most as many steps as both have code units, multiplied. With more of them the
 * clock is watched, which takes longer than marking does otherwise.
 */
const MANY_STEPS = 20_000_000;

/** Finds in texts what a question looks for in them. */
export class Excerpts {
  readonly #patterns: readonly RegExp[];
  /** The length of a text from which on the clock is watched. */
  readonly #watchedFrom: number;

  constructor({ query }: QueryPlan) {
    const terms = [...termsIn(query)].filter(isOfText);
    const values = terms.flatMap((term) => term.values);
    this.#patterns = terms.flatMap((term) => term.values.flatMap((value) => patternOf(term, value) ?? []));
    const steps = values.reduce((sum, value) => sum + stepsOf(value), 0);
    this.#watchedFrom = steps === 0 ? Infinity : MANY_STEPS / steps;
  }

  /** A text around the first match; from its beginning where nothing in it matches. */
  of(whole: string): Excerpt {
    const text = withoutColours(whole);
    let marks: Mark[] = [];
    let from = 0;
    const look = () => {
      const first = this.#first(text);
      from = wholeFrom(text, Math.max(0, first - BEFORE));
      marks = this.#marks(text, first, Math.min(text.length, from + LENGTH));
    };
    if (text.length < this.#watchedFrom) look();
    else if (!endsWithin(MAX_MARKING_MS, look)) {
      marks = [];
      from = 0;
    }
    const to = wholeTo(text, Math.min(text.length, from + LENGTH));
    return {
      text: text.slice(from, to).replace(/[\s\p{Cc}]/gu, ' '),
      marks: marks.map(({ start, end }) => ({ start: start - from, end: Math.min(end, to) - from })),
      isCutBefore: from > 0,
      isCutAfter: to < text.length,
    };
  }

  #first(text: string): number {
    let first = Infinity;
    for (const pattern of this.#patterns) {
      pattern.lastIndex = 0;
      first = Math.min(first, pattern.exec(text)?.index ?? Infinity);
    }
    return first === Infinity ? 0 : first;
  }

  /** What matches from one place up to another, without overlaps. */
  #marks(text: string, from: number, to: number): Mark[] {
    const found: Mark[] = [];
    for (const pattern of this.#patterns) {
      pattern.lastIndex = from;
      for (let hit = pattern.exec(text); hit && hit.index < to; hit = pattern.exec(text)) {
        if (hit[0] === '') pattern.lastIndex++;
        else found.push({ start: hit.index, end: hit.index + hit[0].length });
        if (found.length >= MAX_MARKS) break;
      }
    }
    found.sort((a, b) => a.start - b.start || b.end - a.end);
    return found.filter(({ start }, at) => found.slice(0, at).every(({ end }) => end <= start));
  }
}

const TEXT_FIELDS: ReadonlySet<string> = new Set([
  'text',
  'word',
  'content',
  'content.word',
  'args',
  'title',
]);

/** The fields that ask for whole words. */
const WORD_FIELDS: ReadonlySet<string> = new Set(['word', 'content.word']);

function isOfText({ field }: Term): boolean {
  return TEXT_FIELDS.has(field);
}

/** How many steps looking for a value may take for each code unit of a text. */
function stepsOf(value: Value): number {
  if (value.kind === 'pattern') return Infinity;
  return value.kind === 'text' ? Math.min(value.text.length, MAX_LITERAL) : 0;
}

/** What a value of a term looks for in a text; of a longer text the beginning, wherever it stands. */
function patternOf({ field }: Term, value: Value): RegExp | undefined {
  if (value.kind === 'pattern') return compilePattern(value.source, `${value.flags.replace('y', '')}g`);
  if (value.kind !== 'text' || value.text === '') return undefined;
  const literal = escapeRegExp(value.text.slice(0, MAX_LITERAL));
  const isWord = WORD_FIELDS.has(field) && value.text.length <= MAX_LITERAL;
  return new RegExp(isWord ? wholeWordSource(literal) : literal, value.exact ? 'gu' : 'giu');
}

/** A place that is not in the middle of a character. */
function wholeFrom(text: string, at: number): number {
  return /[\udc00-\udfff]/.test(text.charAt(at)) ? at + 1 : at;
}

function wholeTo(text: string, at: number): number {
  return at < text.length && /[\ud800-\udbff]/.test(text.charAt(at - 1)) ? at - 1 : at;
}
