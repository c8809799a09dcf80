import { t } from '../../src/core/l10n.js';
import MarkdownIt from 'markdown-it';
import { el, type Child } from '../dom.js';
import { icon } from '../icons.js';
import { plainText } from './plainText.js';
import { iconButton } from '../controls.js';

/** The longest code that is highlighted, in UTF-16 code units, because highlighting takes time. */
const MAX_HIGHLIGHTED = 30_000;

const parser = new MarkdownIt({
  html: false,
  linkify: false,
  breaks: true,
  typographer: false,
  maxNesting: 40,
});

type Token = ReturnType<typeof parser.parse>[number];

/** What a rendered text lets a person do. */
export interface ContentActions {
  readonly copy: (text: string) => void;
  readonly openLink: (url: string) => void;
}

const TAGS: ReadonlyMap<string, keyof HTMLElementTagNameMap> = new Map([
  ['paragraph_open', 'p'],
  ['bullet_list_open', 'ul'],
  ['list_item_open', 'li'],
  ['blockquote_open', 'blockquote'],
  ['thead_open', 'thead'],
  ['tbody_open', 'tbody'],
  ['tr_open', 'tr'],
  ['th_open', 'th'],
  ['td_open', 'td'],
  ['strong_open', 'strong'],
  ['em_open', 'em'],
  ['s_open', 's'],
]);

/**
 * Markdown as elements. Nothing in the text is ever parsed as HTML, and nothing is fetched: remote images are only
 * named, and links are buttons that ask the host.
 */
export function markdown(text: string, actions: ContentActions): DocumentFragment {
  const fragment = document.createDocumentFragment();
  const tokens = parser.parse(text, {});
  // Below the title of the page, and one deeper at most than the one before: so screen readers expect headings.
  const above: number[] = [];
  for (const token of tokens) {
    if (token.type !== 'heading_open') continue;
    const depth = Number(token.tag.slice(1));
    while ((above.at(-1) ?? 0) >= depth) above.pop();
    token.attrSet('aria-level', String(above.push(depth) + 1));
  }
  build(tokens, fragment, actions);
  return fragment;
}

function build(tokens: readonly Token[], root: Node, actions: ContentActions): void {
  const open: Node[] = [root];
  const here = (): Node => open.at(-1) ?? root;
  for (const [at, token] of tokens.entries()) {
    if (token.type === 'inline' && tokens[at - 2]?.type === 'list_item_open')
      tick(
        token,
        open.findLast((node) => node instanceof HTMLLIElement),
      );
    if (token.nesting === -1) {
      if (open.length > 1) open.pop();
      continue;
    }
    const node = token.nesting === 1 ? opened(token, here(), actions) : leaf(token, actions);
    if (token.nesting === 1) open.push(node);
    else here().appendChild(node);
  }
}

/** Replaces `[x]` or `[ ]` at the start of a task list item by a box. */
function tick({ children }: Token, item: HTMLLIElement | undefined): void {
  const [first] = children ?? [];
  if (!item || first?.type !== 'text' || !/^\[[ xX]\] /.test(first.content)) return;
  item.className = 'task';
  first.content = `${first.content[1] === ' ' ? '☐' : '☑'}${first.content.slice(3)}`;
}

/** Adds the element of an opening token to `parent`; gives the element for the tokens that follow. */
function opened(token: Token, parent: Node, actions: ContentActions): Node {
  if (token.type === 'link_open') return parent.appendChild(link(attribute(token, 'href'), actions));
  if (token.type === 'table_open') {
    const table = el('table');
    parent.appendChild(
      el(
        'div',
        { class: 'table', tabIndex: 0, role: 'region', attributes: { 'aria-label': t`Table` } },
        table,
      ),
    );
    return table;
  }
  if (token.hidden) return parent;
  return parent.appendChild(element(token));
}

function element(token: Token): HTMLElement {
  if (token.type === 'heading_open') {
    const level = /^h[1-6]$/.test(token.tag) ? token.tag.slice(1) : '6';
    return el('div', {
      class: `heading heading-${level}`,
      role: 'heading',
      attributes: { 'aria-level': attribute(token, 'aria-level') },
    });
  }
  if (token.type === 'ordered_list_open') {
    const list = el('ol');
    const start = Number(attribute(token, 'start'));
    if (Number.isSafeInteger(start) && start > 0) list.start = start;
    return list;
  }
  const align = /^text-align:(right|center)$/.exec(attribute(token, 'style'))?.[1];
  return el(TAGS.get(token.type) ?? 'div', align === undefined ? {} : { class: `align-${align}` });
}

function leaf(token: Token, actions: ContentActions): Node {
  switch (token.type) {
    case 'inline': {
      const line = document.createDocumentFragment();
      build(token.children ?? [], line, actions);
      return line;
    }
    case 'softbreak':
    case 'hardbreak':
      return el('br');
    case 'code_inline':
      return el('code', {}, plainText(token.content));
    case 'fence':
    case 'code_block':
      return codeBlock(token.content.replace(/\n$/, ''), token.info.trim(), actions.copy);
    case 'hr':
      return el('hr');
    case 'image':
      return image(token);
    default:
      return plainText(token.content);
  }
}

function link(address: string, actions: ContentActions): HTMLElement {
  if (!/^https?:/i.test(address))
    return el('span', { class: 'dead-link', title: t`Not a web address: ${address}` });
  return el('button', {
    class: 'link',
    title: address,
    attributes: { type: 'button' },
    on: { click: () => actions.openLink(address) },
  });
}

/** Only images that the text itself contains are shown. */
function image(token: Token): HTMLElement {
  const address = attribute(token, 'src');
  const words = token.content || 'image';
  if (/^data:image\/(?:png|jpeg|gif|webp);/i.test(address)) {
    return el('img', { class: 'picture', attributes: { src: address, alt: words } });
  }
  const children: Child[] = [icon('file-media'), plainText(words)];
  return el('span', { class: 'absent-image', title: t`Not loaded: ${address}` }, children);
}

function attribute(token: Token, name: string): string {
  return String(token.attrGet(name) ?? '');
}

/** A block of code with its language and a copy button. It is highlighted asynchronously. */
function codeBlock(code: string, language: string, onCopy: (text: string) => void): HTMLElement {
  const name = /^[\w+#.-]{1,30}/.exec(language)?.[0] ?? '';
  const words = el('code', {}, plainText(code));
  if (name !== '' && code.length <= MAX_HIGHLIGHTED) void colour(words, code, name.toLowerCase());
  return el(
    'div',
    { class: 'code' },
    el(
      'div',
      { class: 'code-head' },
      el('span', {}, name),
      iconButton('copy', t`Copy this code`, () => onCopy(code), { class: 'quiet' }),
    ),
    el('pre', { tabIndex: 0, role: 'region', attributes: { 'aria-label': t`Code ${name}`.trim() } }, words),
  );
}

/** The grammars are loaded with the first code that needs one. */
async function colour(words: HTMLElement, code: string, language: string): Promise<void> {
  const { highlighted } = await import('./highlight.js');
  const coloured = highlighted(code, language);
  // A filter's highlights that were set meanwhile take precedence over colours.
  if (coloured && !words.querySelector('mark')) words.replaceChildren(coloured);
}
