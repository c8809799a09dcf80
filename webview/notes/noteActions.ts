import { t } from '../../src/core/l10n.js';
import type { Row, RowNote } from '../../src/page/protocol/row.js';
import type { Questions } from '../questions.js';

/** What a person can do with the notes of a row. */
export interface NoteActions {
  /** Opens the box of a note, or of a new one about the row. */
  readonly editNote: (row: Row, note?: RowNote) => void;
  /** Marks a row, or takes its mark away; where a note stands there, opens its box. */
  readonly bookmark: (row: Row) => void;
  /** Writes a note about a row, or another text into a note. */
  readonly writeNote: (row: number, note: string | undefined, text: string) => void;
  readonly removeNote: (note: string) => void;
  readonly undoNote: () => void;
}

/** Implements them by requests to the host; `editNote` opens the box. */
export function noteActions(questions: Questions, editNote: NoteActions['editNote']): NoteActions {
  const told = (name: 'removeNote', note: string, words: string): void =>
    void questions.ask(name, { note }).then((answer) => {
      if (answer) questions.tell(words, 'note');
    });
  return {
    editNote,
    bookmark: (row) => {
      const [note] = row.notes ?? [];
      if (!note) questions.run('writeNote', { row: row.id, text: '' }, t`Bookmarked.`);
      else if (note.text === '') told('removeNote', note.id, t`The bookmark is removed.`);
      else editNote(row, note);
    },
    writeNote: (row, note, text) =>
      void questions.ask('writeNote', { row, text, ...(note !== undefined && { note }) }).then((answer) => {
        if (answer) questions.tell(t`The note is saved.`, 'note');
      }),
    removeNote: (note) => told('removeNote', note, t`The note is removed.`),
    undoNote: () =>
      void questions.ask('undoNote', {}).then((answer) => {
        if (!answer) return;
        const { undone } = answer;
        questions.tell(
          undone === 'written'
            ? t`The note is gone again.`
            : undone === 'changed'
              ? t`The note is as it was.`
              : t`The note is back.`,
        );
      }),
  };
}
