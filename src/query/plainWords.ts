import MarkdownIt from 'markdown-it';

const parser = new MarkdownIt({ html: false, linkify: false, typographer: false, maxNesting: 40 });

type Token = ReturnType<typeof parser.parse>[number];

/** What a text without any of these says is what stands there. */
const MARKS = /[*_`#>~[\]|\\&+=-]|\d[.)]/;

/** Tokens of a line whose content is words; an image's is what it is called. */
const WORDS: ReadonlySet<string> = new Set(['text', 'code_inline', 'image']);

/** What a Markdown text says, without the marks, its blocks parted by a space: for a title or a line, never for a page. */
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
