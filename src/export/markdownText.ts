import { visibleLine } from '../core/visibleText.js';

/**
 * A text as Markdown that renders as that text and nothing else: no heading, list, link, image, table or HTML comes
 * out of it. Only closed code fences stay what they are, because code is readable as code.
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

/** Words of letters and digits of ASCII, as names of agents and tools are: they mean nothing else in Markdown. */
const PLAIN_WORDS = /^[A-Za-z0-9]+(?:[ _][A-Za-z0-9]+)*$/;

/** One line of text as Markdown, for a heading or a label. */
export function escapeInline(text: string): string {
  return PLAIN_WORDS.test(text) ? text : escapeLine(visibleLine(text), 'x');
}

const FENCE = /^ {0,3}(`{3,}|~{3,})([^\n]*)$/;

/** The lines where code fences begin, each with the line of its end. A fence that nothing closes is none. */
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

/** Finds for a fence the first line below it that closes it; each line is looked at a bounded number of times. */
function closingLines(lines: readonly string[]): { next(mark: string, after: number): number | undefined } {
  const closers: { line: number; kind: string; length: number }[] = [];
  lines.forEach((line, index) => {
    const close = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1];
    if (close) closers.push({ line: index, kind: close.charAt(0), length: close.length });
  });
  /** From where on no closer of a kind is as long as this: what failed once is not searched again. */
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

/** What a text has in which anything may have to be escaped; most lines of most texts have none of it. */
const SUSPICIOUS = /[\\`*[\]<>~|_&\t\r]|^ *(?:[#+=:-]|\d{1,9}[.)]| {3})| {2}$/m;

/** Characters that may mean something anywhere in a line. */
const ANYWHERE = /[\\`*[\]<>~|_&]/g;

const WORD = /[\p{L}\p{N}]/u;

function escapeLine(line: string, before: string): string {
  const escaped = withoutTrailingSpace(line)
    .replace(ANYWHERE, (character, at: number) =>
      isHarmless(character, line, at) ? character : `\\${character}`,
    )
    .replace(/^(\s*)(#{1,6}(?=\s|$)|[-+](?=[\s-]|$)|:(?=-)|=(?==*\s*$))/, '$1\\$2')
    .replace(/^(\s*\d{1,9})([.)])(?=\s|$)/, '$1\\$2');
  // Four spaces after an empty line would be a code block, in which the escapes above would show.
  return /^(?: {4}| {0,3}\t)/.test(escaped) && before.trim() === '' ? `&#32;${escaped.trimStart()}` : escaped;
}

/** An underscore inside of a word, and an ampersand that begins no entity. */
function isHarmless(character: string, line: string, at: number): boolean {
  if (character === '&') return !/[#\p{L}]/u.test(line.charAt(at + 1));
  return character === '_' && WORD.test(line.charAt(at - 1)) && WORD.test(line.charAt(at + 1));
}

/** By hand, because a pattern for it tries every run of spaces in the line from each of its characters. */
function withoutTrailingSpace(line: string): string {
  let end = line.length;
  while (end > 0 && (line[end - 1] === ' ' || line[end - 1] === '\t')) end--;
  return line.slice(0, end);
}

/**
 * Text in a code fence that nothing inside can end: the fence is one longer than the longest run of backticks inside.
 * There is one exception. Where the longest run has exactly three, the reference implementation keeps a fence of three
 * and breaks the run by zero-width spaces, and programs compare their files with ours: so do we. A copied text then
 * has two invisible characters more; JSON is the export that gives back every character.
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
