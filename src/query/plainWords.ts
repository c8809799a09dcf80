import MarkdownIt from 'markdown-it';

const parser = new MarkdownIt({ html: false, linkify: false, typographer: false, maxNesting: 40 });

type Token = ReturnType<typeof parser.parse>[number];

/** A text without any of these contains no Markdown. */
const MARKS = /[*_`#>~[\]|\\&+=-]|\d[.)]/;

/** Inline tokens whose content is text; an image's is its alternative text. */
const WORDS: ReadonlySet<string> = new Set(['text', 'code_inline', 'image']);

/** The words of a Markdown text without its markup, blocks separated by a space; for titles and single lines. */
export function plainWords(markdown: string): string {
  if (!MARKS.test(markdown)) return markdown;
  return parser
    .parse(markdown, {})
    .map(wordsOf)
    .filter((words) => words !== '')
    .join(' ');
}

function wordsOf({ type, content, children }: Token): string {
  if (type === 'fence' || type === 'code_block') return content.trim();
  return (children ?? []).map((token) => (WORDS.has(token.type) ? token.content : gapOf(token))).join('');
}

function gapOf({ type }: Token): string {
  return type === 'softbreak' || type === 'hardbreak' ? ' ' : '';
}
