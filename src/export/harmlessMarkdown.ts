import MarkdownIt from 'markdown-it';
import { escapeMarkdown } from './markdownText.js';

/** Reads as most renderers do, raw HTML included, because that is what must not come through. */
const parser = new MarkdownIt({ html: true });
// A renderer that refuses an address shows its link as text; others make a link of it, so that it must be seen here.
parser.validateLink = () => true;
type Token = ReturnType<typeof parser.parse>[number];

/** How often a text is changed before it is escaped as a whole: what was HTML is read anew as Markdown. */
const MAX_PASSES = 4;

/** Wherever none of these is, nothing can break a document or reach out. */
const RISKY = /<|!\[|```|~~~|^[ \t>*+\-\d.)]*#|^[ \t>]*(?:=+|-+)[ \t]*$|\]:|\]\(/m;

/**
 * A text that people or models wrote as Markdown, as a part of a document: it stays what it is, but raw HTML becomes text,
 * a picture that would be fetched becomes a link, a heading goes below `above` (the level of the heading that it stands
 * under), an open fence is closed, and a definition of links, which would hold in the whole document, becomes text. What
 * cannot be made harmless so is escaped as a whole.
 */
export function harmlessMarkdown(text: string, above: number): string {
  if (!RISKY.test(text)) return text;
  let lines = text.split(/\r\n|\r|\n/);
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const changed = changedOnce(lines, above);
    if (changed === undefined) return lines.join('\n');
    if (changed.length === lines.length && changed.every((line, at) => line === lines[at])) break;
    lines = changed.join('\n').split('\n');
  }
  return escapeMarkdown(text);
}

/** The marks that close the code fence which is open at the end of a Markdown text; undefined where none is. */
export function openFenceOf(text: string): string | undefined {
  if (!/```|~~~/.test(text)) return undefined;
  const last = parser.parse(text, {}).at(-1);
  return last?.type === 'fence' && isOpenFence(last) ? last.markup : undefined;
}

/** The lines with what must not stay changed; undefined where there is nothing of it. */
function changedOnce(lines: readonly string[], above: number): string[] | undefined {
  const environment: NonNullable<Parameters<typeof parser.parse>[1]> = {};
  const tokens = parser.parse(lines.join('\n'), environment);
  const next = [...lines];
  let isHarmless = true;
  let place: readonly [number, number] = [0, 0];
  for (const token of tokens) {
    // A cell of a table has no place of its own; it stands in that of its row.
    place = token.map ?? place;
    const [from, to] = place;
    if (!isRisky(token, above)) continue;
    isHarmless = false;
    if (token.type === 'heading_open') lowerHeading(next, token, above);
    else if (token.type === 'html_block')
      for (let at = from; at < to; at++) next[at] = withoutTags(next[at] ?? '');
    else if (token.type === 'fence') next.push(token.markup);
    else neutralise(next, from, to);
  }
  if (Object.keys(environment.references ?? {}).length > 0) {
    isHarmless = false;
    for (const [at, line] of next.entries())
      next[at] = line.replace(/^([\s>*+\-\d.)]{0,40})\[(?=.*\]:)/, '$1\\[');
  }
  return isHarmless ? undefined : next;
}

function isRisky(token: Token, above: number): boolean {
  if (token.type === 'heading_open') return Number(token.tag.slice(1)) <= above;
  if (token.type === 'fence') return isOpenFence(token);
  if (token.type === 'inline') return (token.children ?? []).some(reachesOut);
  return token.type === 'html_block';
}

function lowerHeading(lines: string[], { markup, map, tag }: Token, above: number): void {
  const [from, to] = map ?? [0, 0];
  const level = Number(tag.slice(1));
  const mark = '#'.repeat(Math.min(6, level + above));
  if (markup.startsWith('#')) {
    lines[from] = (lines[from] ?? '').replace(/#{1,6}(?=\s|$)/, mark);
  } else if (
    to - from === 2 &&
    /^ {0,3}\S/.test(lines[from] ?? '') &&
    !/^ {0,3}[>*+-]/.test(lines[from] ?? '')
  ) {
    lines[from] = `${mark} ${(lines[from] ?? '').trim()}`;
    lines[to - 1] = '';
  } else {
    lines[to - 1] = (lines[to - 1] ?? '').replace(/[=-]/, '\\$&');
  }
}

/** Whether nothing closes a fence but the end of the text; within a quotation or a list its end does that. */
function isOpenFence({ level, map, content }: Token): boolean {
  const [from, to] = map ?? [0, 0];
  const lines = content === '' ? 0 : content.replace(/\n$/, '').split('\n').length;
  return level === 0 && to - from < lines + 2;
}

const EMBEDDED = /^data:image\/(?:png|jpeg|gif|webp);/i;
const HARMLESS_LINK = /^(?:https?:|mailto:|#|(?![\\/]{2})[^:]*$)/i;

/** Whether a piece of a line is HTML, would be fetched, or leads to something that is no page. */
function reachesOut(token: Token): boolean {
  if (token.type === 'html_inline') return true;
  if (token.type === 'image')
    return !EMBEDDED.test(String(token.attrGet('src') ?? '')) || (token.children ?? []).some(reachesOut);
  return token.type === 'link_open' && !HARMLESS_LINK.test(String(token.attrGet('href') ?? ''));
}

/** Escapes, outside of code, what begins a tag, a picture that would be fetched, or a link to no page. */
function neutralise(lines: string[], from: number, to: number): void {
  const text = lines.slice(from, to).join('\n');
  const spans = codeSpans(text);
  let next = 0;
  const safe = text.replace(RISKY_PIECES, (piece, at: number) => {
    while ((spans[next]?.end ?? Infinity) <= at) next++;
    const isCode = at >= (spans[next]?.start ?? Infinity);
    return isCode || text[at - 1] === '\\' ? piece : `\\${piece}`;
  });
  for (const [at, line] of safe.split('\n').entries()) lines[from + at] = line;
}

const RISKY_PIECES =
  /<(?=[A-Za-z/!?])(?!(?:https?:|mailto:)[^\s<>]*>)|!(?=\[)(?!\[[^\]]*\]\(data:image\/(?:png|jpeg|gif|webp);)|\[(?=[^\]]*\]\(\s*<?(?!https?:|mailto:|#)[a-z][a-z0-9+.-]*:)/gi;

/** Where code stands in a text, in order: from a run of backticks to the next run of the same length. */
function codeSpans(text: string): { readonly start: number; readonly end: number }[] {
  const runs = Array.from(text.matchAll(/\\`|`+/g), ({ 0: run, index }) => ({ run, index }));
  const closers = new Map<string, number[]>();
  for (const [at, { run }] of runs.toReversed().entries()) {
    const same = closers.get(run);
    if (same) same.push(runs.length - 1 - at);
    else closers.set(run, [runs.length - 1 - at]);
  }
  const spans: { start: number; end: number }[] = [];
  for (let at = 0; at < runs.length; at++) {
    const { run = '', index = 0 } = runs[at] ?? {};
    const same = closers.get(run) ?? [];
    while ((same.at(-1) ?? Infinity) <= at) same.pop();
    const close = same.at(-1);
    if (run.startsWith('\\') || close === undefined) continue;
    spans.push({ start: index, end: (runs[close]?.index ?? 0) + run.length });
    at = close;
  }
  return spans;
}

function withoutTags(line: string): string {
  return line.replace(/(?<!\\)<(?=[A-Za-z/!?])/g, '\\<');
}
