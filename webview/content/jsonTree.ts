import { t } from '../../src/core/l10n.js';
import { firstCodePoints } from '../../src/core/text.js';
import { visibleLine } from '../../src/core/visibleText.js';
import { el, fill, type Child } from '../dom.js';
import { icon } from '../icons.js';
import { plainText } from './plainText.js';

/** How many entries are shown at a time. */
const PAGE = 100;
/** Longer strings, and those with several lines, are shown in a block of their own. */
const INLINE_LENGTH = 100;
/** How much of a key the label of its block says, in code points. */
const SPOKEN_KEY = 60;

/** The value of a JSON text that is an object or a list; undefined for everything else. */
export function parseJson(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    // Anything but JSON is shown as text.
    return undefined;
  }
}

/** A JSON value as an expandable tree whose first `depth` levels are open. A level is built only when it is opened. */
export function jsonTree(value: object, depth = 1): HTMLElement {
  return el('div', { class: 'json' }, entriesOf(value, depth));
}

function entriesOf(value: object, depth: number): HTMLElement {
  const list = el('div', { class: 'json-entries' });
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  showEntries(list, entries, 0, depth);
  if (entries.length === 0)
    list.append(el('span', { class: 'faint' }, Array.isArray(value) ? t`empty list` : t`no entries`));
  return list;
}

function showEntries(
  list: HTMLElement,
  entries: readonly (readonly [string | number, unknown])[],
  from: number,
  depth: number,
): void {
  for (const [key, value] of entries.slice(from, from + PAGE)) list.append(entry(String(key), value, depth));
  const left = entries.length - from - PAGE;
  if (left <= 0) return;
  const more = el(
    'button',
    { class: 'more', attributes: { type: 'button' } },
    t`Show ${Math.min(left, PAGE)} more of ${left}`,
  );
  more.addEventListener('click', () => {
    more.remove();
    showEntries(list, entries, from + PAGE, depth);
  });
  list.append(more);
}

function entry(key: string, value: unknown, depth: number): HTMLElement {
  const name = el('span', { class: 'json-key' }, plainText(key));
  if (typeof value === 'object' && value !== null) return branch(name, value, depth);
  if (typeof value === 'string' && (value.length > INLINE_LENGTH || value.includes('\n'))) {
    return el(
      'div',
      { class: 'json-entry json-long' },
      name,
      el(
        'div',
        {
          class: 'json-block',
          tabIndex: 0,
          role: 'region',
          attributes: { 'aria-label': t`Text ${visibleLine(firstCodePoints(key, SPOKEN_KEY))}`.trim() },
        },
        plainText(value),
      ),
    );
  }
  return el('div', { class: 'json-entry' }, name, leaf(value));
}

function leaf(value: unknown): HTMLElement {
  if (typeof value === 'string')
    return el('span', { class: 'json-string' }, plainText(value === '' ? '""' : value));
  return el('span', { class: 'json-literal' }, String(value));
}

function branch(name: HTMLElement, value: object, depth: number): HTMLElement {
  const size = Array.isArray(value) ? value.length : Object.keys(value).length;
  const words = Array.isArray(value) ? `[${size}]` : `{${size}}`;
  const below = el('div', { class: 'json-below' });
  const head = el('button', { class: 'json-head', attributes: { type: 'button' } });
  const show = (open: boolean): void => {
    const children: Child[] = [
      icon(open ? 'chevron-down' : 'chevron-right'),
      name,
      el('span', { class: 'faint' }, words),
    ];
    fill(head, children);
    head.setAttribute('aria-expanded', String(open));
    fill(below, open && entriesOf(value, depth - 1));
  };
  show(depth > 1 && size > 0);
  head.addEventListener('click', () => show(head.getAttribute('aria-expanded') !== 'true'));
  return el('div', { class: 'json-entry json-branch' }, head, below);
}
