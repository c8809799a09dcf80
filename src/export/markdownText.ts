import { visibleLine } from '../core/visibleText.js';
import { jsonText } from '../query/numbers/jsonText.js';
import { rawArgumentsOf } from '../query/numbers/toolCalls.js';

/**
 * Escapes a text so that Markdown renders it literally: no heading, list, link, image, table or HTML comes of it. Only
 * closed code fences are kept, because code is readable as code.
 */
export function escapeMarkdown(text: string): string {
  if (!SUSPICIOUS.test(text)) return text;
  const lines = text.split(/\r\n|\r|\n/);
  const fences = findFences(lines);
  const escaped: string[] = [];
  for (let i = 0; i < lines.length; i++) {
    const end = fences.get(i);
    if (end === undefined) {
      escaped.push(escapeLine(lines[i] ?? '', lines[i - 1] ?? ''));
      continue;
    }
    for (; i <= end; i++) escaped.push(lines[i] ?? '');
    i--;
  }
  return escaped.join('\n');
}

/** ASCII words, as most names of agents and tools are: they have no other meaning in Markdown. */
const PLAIN_WORDS = /^[A-Za-z0-9]+(?:[ _][A-Za-z0-9]+)*$/;

/** Escapes a text as a single line, for a heading or a label. */
export function escapeInline(text: string): string {
  return PLAIN_WORDS.test(text) ? text : escapeLine(visibleLine(text), 'x');
}

/** Escapes a text as a cell of a table: a border within it would end it. */
export function tableCell(text: string): string {
  return escapeInline(text).replaceAll(/\\*\|/g, '\\|');
}

const FENCE = /^ {0,3}(`{3,}|~{3,})([^\n]*)$/;

/** Maps the first line of each code fence to its last. A fence that is never closed does not count. */
function findFences(lines: readonly string[]): Map<number, number> {
  const fences = new Map<number, number>();
  const closers = closingLines(lines);
  for (let i = 0; i < lines.length; i++) {
    const open = FENCE.exec(lines[i] ?? '');
    const mark = open?.[1];
    if (!mark || (mark.startsWith('`') && open[2]?.includes('`'))) continue;
    const end = closers.next(mark, i);
    if (end === undefined) continue;
    fences.set(i, end);
    i = end;
  }
  return fences;
}

/** Finds the first line below a fence that closes it, in linear time over all fences. */
function closingLines(lines: readonly string[]): { next(mark: string, after: number): number | undefined } {
  const closers: { line: number; kind: string; length: number }[] = [];
  lines.forEach((line, index) => {
    const close = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1];
    if (close) closers.push({ line: index, kind: close.charAt(0), length: close.length });
  });
  /** For each kind, a length that no remaining closer reaches, so that no search fails twice. */
  const missing = new Map<string, number>();
  let from = 0;
  return {
    next(mark, after) {
      const kind = mark.charAt(0);
      if (mark.length >= (missing.get(kind) ?? Number.POSITIVE_INFINITY)) return undefined;
      while ((closers[from]?.line ?? Number.POSITIVE_INFINITY) <= after) from++;
      for (let i = from; i < closers.length; i++) {
        const closer = closers[i];
        if (closer?.kind === kind && closer.length >= mark.length) return closer.line;
      }
      missing.set(kind, mark.length);
      return undefined;
    },
  };
}

/** Matches wherever something may have to be escaped; most texts have nothing of it. */
const SUSPICIOUS = /[\\`*[\]<>~|_&\t\r]|^ *(?:[#+=:-]|\d{1,9}[.)]| {3})| {2}$/m;

/** Characters with a meaning anywhere in a line. */
const ANYWHERE = /[\\`*[\]<>~|_&]/g;

const WORD = /[\p{L}\p{N}]/u;

function escapeLine(line: string, before: string): string {
  const escaped = withoutTrailingSpace(line)
    .replace(ANYWHERE, (character, at: number) =>
      isHarmless(character, line, at) ? character : `\\${character}`,
    )
    .replace(/^(\s*)(#{1,6}(?=\s|$)|[-+](?=[\s-]|$)|:(?=-)|=(?==*\s*$))/, '$1\\$2')
    .replace(/^(\s*\d{1,9})([.)])(?=\s|$)/, '$1\\$2');
  // After an empty line, four spaces start a code block, in which the escapes above would be visible.
  return /^(?: {4}| {0,3}\t)/.test(escaped) && before.trim() === '' ? `&#32;${escaped.trimStart()}` : escaped;
}

/** Whether a character needs no escape: an underscore within a word, or an ampersand that starts no entity. */
function isHarmless(character: string, line: string, at: number): boolean {
  if (character === '&') return !/[#\p{L}]/u.test(line.charAt(at + 1));
  return character === '_' && WORD.test(line.charAt(at - 1)) && WORD.test(line.charAt(at + 1));
}

/** Not a regular expression, because that would take quadratic time on long runs of spaces. */
function withoutTrailingSpace(line: string): string {
  let end = line.length;
  while (end > 0 && (line[end - 1] === ' ' || line[end - 1] === '\t')) end--;
  return line.slice(0, end);
}

/**
 * Puts a text into a code fence that nothing inside can close: it is longer than the longest run of backticks inside.
 * With one exception: where the longest run has exactly three, the fence has three too and the run is broken up by
 * zero-width spaces, as in the reference implementation, whose files are compared with these. A copied text then has
 * two invisible characters more; JSON is the export that preserves every character.
 */
export function fenced(text: string, language = ''): string {
  const longest = longestRun(text);
  const fence = '`'.repeat(longest > 3 ? longest + 1 : 3);
  const body = longest === 3 ? text.replaceAll('```', '`\u200b`\u200b`') : text;
  return `${fence}${language}\n${body}\n${fence}`;
}

function longestRun(text: string): number {
  if (!text.includes('```')) return 0;
  let longest = 0;
  for (const [run] of text.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length);
  return longest;
}

/** Arguments as indented JSON, or as the model wrote them where that is not JSON. */
export function readableArguments(input: unknown): string {
  const raw = rawArgumentsOf(input);
  try {
    return jsonText(JSON.parse(raw), 2);
  } catch {
    // Models do write arguments that are not JSON: shown as they are.
    return raw;
  }
}
