import { t } from '../../src/core/l10n.js';
import { visibleText } from '../../src/core/visibleText.js';
import { el } from '../dom.js';
import { splitAnsi } from './ansi.js';

const WRITTEN_OUT = /⟨U\+[0-9A-F]{4,6}⟩/g;

/** A literal text, with every invisible character written out and marked, and terminal colours shown as colours. */
export function plainText(text: string): DocumentFragment {
  const fragment = document.createDocumentFragment();
  for (const piece of splitAnsi(text)) {
    if (piece.style === '') appendVisible(fragment, piece.text);
    else {
      const span = el('span', { class: piece.style });
      appendVisible(span, piece.text);
      fragment.append(span);
    }
  }
  return fragment;
}

function appendVisible(parent: ParentNode, text: string): void {
  const visible = visibleText(text);
  let at = 0;
  for (const match of visible.matchAll(WRITTEN_OUT)) {
    if (match.index > at) parent.append(visible.slice(at, match.index));
    parent.append(el('span', { class: 'unseen', title: t`An unseen character` }, match[0]));
    at = match.index + match[0].length;
  }
  if (at < visible.length) parent.append(visible.slice(at));
}
