import type { NoteRow } from '../../src/page/protocol/row.js';
import { plainText } from '../content/plainText.js';
import { el } from '../dom.js';
import { icon, type IconName } from '../icons.js';
import { foldedLine } from './foldedLine.js';
import { meta } from './meta.js';
import type { RowContext } from './rowContext.js';
import { textBlock } from './textBlock.js';

const ICONS: Readonly<Record<NoteRow['note'], IconName>> = {
  runStart: 'play',
  callEnd: 'pass',
  runEnd: 'pass',
  approval: 'shield',
  error: 'error',
  request: 'warning',
  title: 'tag',
  unknown: 'info',
};

/** The line of a note. */
export function noteCard(row: NoteRow, context: RowContext): HTMLElement {
  const { detail } = row;
  const name = row.level === 'error' ? 'error' : row.level === 'warning' ? 'warning' : ICONS[row.note];
  const words = el('span', { class: 'note-words' }, plainText(row.text));
  const facts = meta(row);
  return el(
    'div',
    { class: `note note-${row.note} level-${row.level}` },
    el('span', { class: 'gutter' }, icon(name)),
    detail === undefined
      ? el('div', { class: 'content note-line' }, words, facts)
      : el(
          'div',
          { class: 'content' },
          foldedLine({
            isOpen: context.isOpen,
            onToggle: () => context.actions.toggle(row.id),
            head: [words],
            meta: facts,
            body: () => [
              textBlock(row.id, 'detail', detail, context, row.note === 'runStart' ? 'markdown' : 'data'),
            ],
          }),
        ),
  );
}
