import { t } from '../../src/core/l10n.js';
import type { Row, RowNote } from '../../src/page/protocol/row.js';
import { el } from '../dom.js';
import { icon } from '../icons.js';

/** The notes of a row, below what it says; each opens its box. */
export function noteStrip(row: Row, onEdit: (row: Row, note: RowNote) => void): HTMLElement | undefined {
  if (!row.notes) return undefined;
  return el(
    'div',
    { class: 'own-notes' },
    row.notes.map((note) =>
      el(
        'button',
        {
          class: note.text === '' ? 'own-note own-bookmark' : 'own-note',
          title: t`Edit this note (N)`,
          on: { click: () => onEdit(row, note) },
        },
        icon(note.text === '' ? 'bookmark' : 'note'),
        el('span', { attributes: { dir: 'auto' } }, note.text === '' ? t`Bookmarked` : note.text),
      ),
    ),
  );
}

/** The notes of a row for a screen reader, behind what it says; '' where there are none. */
export function noteWords({ notes = [] }: Row): string {
  return notes.map(({ text }) => (text === '' ? t`, bookmarked` : t`, your note: ${text}`)).join('');
}
