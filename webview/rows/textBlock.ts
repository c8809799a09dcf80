import { t } from '../../src/core/l10n.js';
import type { CutText, RowField } from '../../src/page/protocol/row.js';
import { button } from '../controls.js';
import { markdown } from '../content/markdown.js';
import { jsonTree, parseJson } from '../content/jsonTree.js';
import { plainText } from '../content/plainText.js';
import { terminalText } from '../content/terminalText.js';
import { el, type Child } from '../dom.js';
import { formatBytes, formatCount } from '../format.js';
import type { RowContext } from './rowContext.js';

/** The longest Markdown that is rendered, in UTF-16 code units; longer texts are shown literally, to keep the page fast. */
const MAX_MARKDOWN = 60_000;

/** A text of a row: as much as the row contains, more on request. */
export function textBlock(
  row: number,
  field: RowField,
  cut: CutText,
  context: RowContext,
  looks: 'markdown' | 'data',
): HTMLElement {
  const fetched = context.textOf(field);
  const written = fetched?.text ?? cut.text;
  const text = field === 'result' ? terminalText(written) : written;
  const left = fetched ? fetched.total - written.length : cut.rest;
  const isWhole = left <= 0 && (fetched !== undefined || cut.spilledBytes === undefined);
  return el(
    'div',
    { class: `text text-${looks}` },
    looks === 'markdown' && text.length <= MAX_MARKDOWN
      ? el('div', { class: 'markdown' }, markdown(text, context.actions))
      : data(text, isWhole),
    !isWhole && more(row, field, context, wordsFor(left, fetched ? undefined : cut.spilledBytes)),
  );
}

function data(text: string, isWhole: boolean): HTMLElement {
  const value = isWhole ? parseJson(text) : undefined;
  if (value) return jsonTree(value);
  return el('pre', { class: 'plain' }, plainText(text));
}

function more(row: number, field: RowField, { actions }: RowContext, words: string): Child {
  return el(
    'div',
    { class: 'more-line' },
    button({ class: 'more', on: { click: () => actions.fetchText(row, field) } }, words),
    button({ class: 'more', on: { click: () => actions.openInEditor(row, field) } }, t`Open in editor`),
  );
}

function wordsFor(left: number, bytes: number | undefined): string {
  if (bytes !== undefined) return t`Show all (${formatBytes(bytes)})`;
  return t`Show all (${formatCount(left)} more characters)`;
}
