import MarkdownIt from 'markdown-it';
import { escapeHtml } from '../core/escapeHtml.js';

/** Raw HTML is text; links lead to web pages and mail only. */
const renderer = new MarkdownIt({ html: false, linkify: false, breaks: true, maxNesting: 40 });
renderer.validateLink = (address) =>
  /^(?:https?:|mailto:|#)/i.test(address.trim()) || EMBEDDED.test(address.trim());

const EMBEDDED = /^data:image\/(?:png|jpeg|gif|webp);base64,/i;

/** A definition of a link is shown by no renderer, so it would be missing: it is text here. */
renderer.disable('reference');

/** Only pictures that the text itself holds are shown; others are named, and nothing is fetched. */
renderer.renderer.rules.image = (tokens, at) => {
  const token = tokens[at];
  const address = String(token?.attrGet('src') ?? '');
  const words = token?.content ?? '';
  return EMBEDDED.test(address)
    ? `<img alt="${escapeHtml(words)}" src="${escapeHtml(address)}">`
    : `<span>${escapeHtml(words || 'picture')} (${escapeHtml(address)})</span>`;
};

/** What stands behind a fence besides the language, such as a file's name, is a line above the code. */
const fence = renderer.renderer.rules.fence;
renderer.renderer.rules.fence = (tokens, at, options, environment, self) => {
  const about = (tokens[at]?.info ?? '').trim().split(/\s+/u).slice(1).join(' ');
  const code = fence?.(tokens, at, options, environment, self) ?? '';
  return about === '' ? code : `<p>${escapeHtml(about)}</p>\n${code}`;
};

/** Headings stand below the page's own. */
renderer.core.ruler.push('lower-headings', ({ tokens }) => {
  for (const token of tokens) {
    if (!token.type.startsWith('heading_')) continue;
    token.tag = `h${Math.min(6, Number(token.tag.slice(1)) + 3)}`;
  }
});

/** A link that leads nowhere, `[words]()`, is shown as it was written. */
renderer.core.ruler.push('empty-links', ({ tokens }) => {
  for (const { children } of tokens) {
    let isEmpty = false;
    for (const token of children ?? []) {
      if (token.type === 'link_open') isEmpty = token.attrGet('href') === '';
      if (!isEmpty || !token.type.startsWith('link_')) continue;
      token.content = token.type === 'link_open' ? '[' : ']()';
      token.type = 'text';
    }
  }
});

renderer.renderer.rules.link_open = (tokens, at, options, _environment, self) => {
  tokens[at]?.attrSet('rel', 'noreferrer noopener');
  return self.renderToken(tokens, at, options);
};

/** Markdown as HTML in which nothing runs and nothing is loaded. */
export function renderMarkdown(text: string): string {
  return renderer.render(text);
}
