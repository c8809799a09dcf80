import { escapeRegExp } from '../../src/core/escapeRegExp.js';
import { wholeWordSource } from '../../src/query/literalSearch.js';
import { append, el } from '../dom.js';

/** What to highlight: a literal text, with or without regard to letter case. */
export interface Mark {
  readonly text: string;
  readonly matchCase: boolean;
  /** Whether only whole words are highlighted. */
  readonly wholeWord?: boolean;
}

/** The most highlights in one row. */
const MAX_MARKS = 300;

/** The elements with the page's own words, which are not highlighted. */
const OWN_WORDS = '.meta, .section-name, .expander, .row-toolbar, .more-line, .code-head';

/** A pattern of the literal texts to highlight; undefined where there are none. */
export function markPattern(marks: readonly Mark[]): RegExp | undefined {
  const literal = marks
    .filter(({ text }) => text.trim() !== '')
    .toSorted((a, b) => b.text.length - a.text.length);
  if (literal.length === 0) return undefined;
  const ignoresCase = literal.every(({ matchCase }) => !matchCase);
  const sources = literal.map(({ text, matchCase, wholeWord = false }) => {
    const source = ignoresCase || matchCase ? escapeRegExp(text) : inAnyCase(text);
    return wholeWord ? wholeWordSource(source) : source;
  });
  return new RegExp(sources.join('|'), ignoresCase ? 'giu' : 'gu');
}

/** The source of a text in any letter case, for a pattern in which that of others matters. */
function inAnyCase(text: string): string {
  const ways = Array.from(text, (letter) => [
    ...new Set([letter, letter.toLowerCase(), letter.toUpperCase()]),
  ]);
  return ways.map((each) => `(?:${each.map(escapeRegExp).join('|')})`).join('');
}

/** Highlights the pattern's matches in the texts below an element; gives their number. */
export function markTexts(root: Element, pattern: RegExp): number {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT, (node) =>
    node.parentElement?.closest(OWN_WORDS) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
  );
  const texts: Text[] = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) texts.push(node as Text);
  let count = 0;
  for (const text of texts) {
    if (count >= MAX_MARKS) break;
    count += markText(text, pattern, MAX_MARKS - count);
  }
  return count;
}

function markText(text: Text, pattern: RegExp, most: number): number {
  const { data } = text;
  const pieces: (string | HTMLElement)[] = [];
  let at = 0;
  let count = 0;
  for (const match of data.matchAll(pattern)) {
    if (match[0] === '' || count >= most) break;
    pieces.push(data.slice(at, match.index), el('mark', {}, match[0]));
    at = match.index + match[0].length;
    count++;
  }
  if (count > 0) {
    const marked = document.createDocumentFragment();
    append(marked, [...pieces, data.slice(at)]);
    text.replaceWith(marked);
  }
  return count;
}
