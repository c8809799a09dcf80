import type { Row } from '../../src/protocol/row.js';
import { el } from '../dom.js';
import { messageCard } from './messageRow.js';
import { noteCard } from './noteCard.js';
import type { RowContext } from './rowContext.js';
import { dispatchCard, toolCard } from './stepCards.js';

/** How deep rows are indented at most; deeper ones say their depth instead. */
const DEEPEST = 8;

/** The element of one row of the list, with its rail, its card and what can be done with it. */
export function rowElement(row: Row, context: RowContext): HTMLElement {
  const shown = Math.min(row.depth, DEEPEST);
  const element = el(
    'article',
    {
      class: `row row-${row.kind} hue-${row.hue}`,
      tabIndex: -1,
      attributes: { 'data-row': row.id, 'aria-label': labelOf(row) },
    },
    el('div', { class: 'rails', attributes: { 'aria-hidden': 'true' } }, ...rails(shown)),
    row.depth > DEEPEST && el('span', { class: 'deep', title: `Depth ${row.depth}` }, String(row.depth)),
    el('div', { class: 'row-main' }, card(row, context)),
  );
  element.style.setProperty('--depth', String(shown));
  return element;
}

function card(row: Row, context: RowContext): HTMLElement {
  switch (row.kind) {
    case 'message':
      return messageCard(row, context);
    case 'tool':
      return toolCard(row, context);
    case 'dispatch':
      return dispatchCard(row, context);
    case 'note':
      return noteCard(row, context);
  }
}

function rails(depth: number): HTMLElement[] {
  return Array.from({ length: depth }, () => el('span', { class: 'rail' }));
}

/** What a screen reader says of a row before its text. */
function labelOf(row: Row): string {
  const level = row.depth > 0 ? `, depth ${row.depth}` : '';
  switch (row.kind) {
    case 'message':
      return `${row.role} message, ${row.agent}${level}`;
    case 'tool':
      return `Tool ${row.tool}, ${row.state}, ${row.agent}${level}`;
    case 'dispatch':
      return `${row.agent} dispatched ${row.target}, ${row.state}${level}`;
    case 'note':
      return row.text;
  }
}
