import { t } from '../../src/core/l10n.js';
import { iconButton } from '../controls.js';
import { el } from '../dom.js';
import { plainText } from './plainText.js';

/** The longest code that is highlighted, in UTF-16 code units, because highlighting takes time. */
const MAX_HIGHLIGHTED = 30_000;

/** A block of code with its language and a copy button. It is highlighted asynchronously. */
export function codeBlock(code: string, language: string, onCopy: (text: string) => void): HTMLElement {
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
