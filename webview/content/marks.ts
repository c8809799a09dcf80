import { escapeRegExp } from '../../src/core/escapeRegExp.js';
import { append, el } from '../dom.js';

/** What to highlight: these literal texts, with or without regard to letter case. */
export interface Marks {
  readonly texts: readonly string[];
  readonly matchCase: boolean;
  /** Whether only whole words are highlighted. */
  readonly wholeWord?: boolean;
}

/** The most highlights in one row. */
const MAX_MARKS = 300;

/** The elements with the page's own words, which are not highlighted. */
const OWN_WORDS = '.meta, .section-name, .expander, .row-toolbar, .more-line, .code-head';

/** A pattern of the literal texts to highlight; undefined where there are none. */
export function markPattern({ texts, matchCase, wholeWord = false }: Marks): RegExp | undefined {
  const literal = texts
    .filter((text) => text.trim() !== '')
    .toSorted((a, b) => b.length - a.length)
    .map(escapeRegExp);
  if (literal.length === 0) return undefined;
  const source = literal.join('|');
  const word = `(?<![\\p{L}\\p{N}_])(?:${source})(?![\\p{L}\\p{N}_])`;
  return new RegExp(wholeWord ? word : source, matchCase ? 'gu' : 'giu');
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
