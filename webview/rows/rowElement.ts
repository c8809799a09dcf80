import { t } from '../../src/core/l10n.js';
import { firstCodePoints, preview, singleLine } from '../../src/core/text.js';
import { plainWords } from '../../src/query/plainWords.js';
import type { Row, RowNote, NoteRow } from '../../src/page/protocol/row.js';
import { el } from '../dom.js';
import { formatDate, formatTime } from '../format.js';
import { messageCard, foldedLine, originLink } from './messageRow.js';
import type { RowContext } from './rowContext.js';
import { dispatchCard, stateName, toolCard } from './stepCards.js';
import { icon, type IconName } from '../icons.js';
import { plainText } from '../content/plainText.js';
import { meta } from './meta.js';
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
function noteCard(row: NoteRow, context: RowContext): HTMLElement {
  const { detail } = row;
  const name = row.level === 'error' ? 'error' : row.level === 'warning' ? 'warning' : ICONS[row.note];
  const words = el('span', { class: 'note-words' }, plainText(row.text));
  const facts = meta(row);
  // Below the line, where the buttons of the row lie over nothing of them.
  const ways =
    row.goesOn === true &&
    el('div', { class: 'note-ways' }, [
      originLink(context, 'open', t`Open it`),
      originLink(context, 'compare', t`Compare with it`),
    ]);
  return el(
    'div',
    { class: `note note-${row.note} level-${row.level}` },
    el('span', { class: 'gutter' }, icon(name)),
    detail === undefined
      ? el('div', { class: 'content' }, el('div', { class: 'note-line' }, words, facts), ways)
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
          ways,
        ),
  );
}

/** The time of day to the minute; of another day with the day. */
function shortMoment(time: number): string {
  const isToday = new Date(time).toDateString() === new Date().toDateString();
  return isToday ? formatTime(time).slice(0, 5) : formatDate(time);
}

/** How deep rows are indented at most; deeper ones say their depth instead. */
export const DEEPEST = 8;
/** How much of a row's text is in its label for screen readers, in code points. */
const SPOKEN = 160;

/** The element of one row of the list, with its rail, its card and what can be done with it. */
export function rowElement(row: Row, context: RowContext): HTMLElement {
  const shown = Math.min(row.depth, DEEPEST);
  const since = context.newSince === undefined ? '' : t`new since ${shortMoment(context.newSince)}`;
  const element = el(
    'article',
    {
      class: `row row-${row.kind} hue-${row.hue}`,
      tabIndex: -1,
      attributes: {
        'data-row': row.id,
        'aria-label': `${since && `${since}, `}${labelOf(row)}${level(row)}${words(row)}${noteWords(row)}`,
      },
    },
    el('div', { class: 'rails', attributes: { 'aria-hidden': 'true' } }, rails(shown)),
    row.depth > DEEPEST && el('span', { class: 'deep', title: t`Depth ${row.depth}` }, String(row.depth)),
    since !== '' && el('div', { class: 'new-since', attributes: { 'aria-hidden': 'true' } }, since),
    el('div', { class: 'row-main' }, card(row, context), noteStrip(row, context.actions.editNote)),
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

/** Who did what, for a screen reader. */
function labelOf(row: Row): string {
  switch (row.kind) {
    case 'message':
      return t`${row.body.text === '' && row.injected ? 'injected' : row.role} message, ${row.agent}`;
    case 'tool':
      return t`Tool ${row.tool}, ${stateName(row.state)}, ${row.agent}`;
    case 'dispatch':
      return t`${row.agent} dispatched ${row.target}, ${stateName(row.state)}`;
    case 'note':
      return row.text;
  }
}

function level({ kind, depth }: Row): string {
  return kind === 'note' || depth === 0 ? '' : t`, depth ${depth}`;
}

/** The beginning of a row's text, because a screen reader that goes from row to row reads only its label. */
function words(row: Row): string {
  const beginning = preview(singleLine(textOf(row)), SPOKEN);
  return beginning === '' ? '' : `: ${beginning}`;
}

function textOf(row: Row): string {
  switch (row.kind) {
    case 'message':
      return plainWords(firstCodePoints(row.body.text || (row.injected?.text.text ?? ''), 4 * SPOKEN));
    case 'tool':
      return row.summary;
    case 'dispatch':
      return plainWords(firstCodePoints(row.task.text, 4 * SPOKEN));
    case 'note':
      return '';
  }
}

/** The notes of a row, below what it says; each opens its box. */
function noteStrip(row: Row, onEdit: (row: Row, note: RowNote) => void): HTMLElement | undefined {
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
function noteWords({ notes = [] }: Row): string {
  return notes.map(({ text }) => (text === '' ? t`, bookmarked` : t`, your note: ${text}`)).join('');
}
