import { t } from '../../src/core/l10n.js';
import { preview, singleLine } from '../../src/core/text.js';
import { MAX_NOTE_LENGTH } from '../../src/core/note.js';
import type { Row, RowNote } from '../../src/page/protocol/row.js';
import { plainWords } from '../../src/query/plainWords.js';
import { button, textArea, type TextArea } from '../controls.js';
import { el, fill } from '../dom.js';

/** How much of what a note is about stands above it, in code points. */
const SHOWN = 160;

/** What comes of an edit. */
export interface NoteEditorActions {
  readonly write: (row: number, note: string | undefined, text: string) => void;
  readonly remove: (note: string) => void;
}

/** The box in which a note is written: about one row, new or there already. */
export class NoteEditor {
  readonly element: HTMLDialogElement;
  readonly #actions: NoteEditorActions;
  #text = '';

  constructor(actions: NoteEditorActions) {
    this.#actions = actions;
    this.element = el('dialog', { class: 'note-editor', attributes: { 'aria-label': t`Note` } });
    this.element.addEventListener('keydown', (event) => {
      // The keys of the page are not those of a text.
      event.stopPropagation();
    });
  }

  /** Opens the box for a new note, or for one that is there. */
  open(row: Row, note: RowNote | undefined): void {
    this.#text = note?.text ?? '';
    const save = (): void => {
      this.element.close();
      if (note?.text !== this.#text.trim()) this.#actions.write(row.id, note?.id, this.#text);
    };
    const remove = (): void => {
      this.element.close();
      if (note) this.#actions.remove(note.id);
    };
    const field = this.#field(save);
    fill(
      this.element,
      el('h2', {}, note ? t`Edit the note` : t`Add a note`),
      el('p', { class: 'faint note-about' }, aboutWords(row)),
      field,
      el('p', { class: 'faint' }, t`Without words it is a bookmark.`),
      el(
        'div',
        { class: 'popover-buttons' },
        button({ appearance: 'primary', title: t`Ctrl+Enter`, on: { click: save } }, t`Save`),
        button({ on: { click: () => this.element.close() } }, t`Cancel`),
        note && button({ class: 'note-remove', on: { click: remove } }, t`Remove`),
      ),
    );
    this.element.showModal();
    field.focus();
  }

  #field(onSave: () => void): TextArea {
    const field = textArea({
      label: t`Your note`,
      value: this.#text,
      rows: 5,
      onInput: (text) => (this.#text = text),
      attributes: { maxlength: MAX_NOTE_LENGTH },
    });
    field.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      onSave();
    });
    return field;
  }
}

function aboutWords(row: Row): string {
  const said =
    row.kind === 'message'
      ? plainWords(row.body.text.slice(0, 4 * SHOWN))
      : row.kind === 'tool'
        ? `${row.tool} ${row.summary}`
        : row.kind === 'dispatch'
          ? `${row.target}: ${row.task.text.slice(0, 4 * SHOWN)}`
          : row.text;
  return preview(`${row.agent}: ${singleLine(said)}`, SHOWN);
}
