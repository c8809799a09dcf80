import * as vscode from 'vscode';
import { t } from '../../../core/l10n.js';
import { isObject } from '../../../core/message.js';
import type { NoteBook } from '../../../app/notes/noteBook.js';
import { viewIds } from '../../../app/manifest.js';
import { words } from '../../../app/text/plainText.js';
import { UserError } from '../../../app/userError.js';
import type { EventData } from '../../../page/protocol/events.js';
import type { TranscriptPanels } from '../panel/transcriptPanels.js';
import { showInformation } from '../ui/notices.js';
import type { NotesView } from '../views/notesView.js';

/** What the commands on notes need. */
export interface NoteCommandsOptions {
  readonly notes: NoteBook;
  readonly panels: TranscriptPanels;
  readonly view: Pick<NotesView, 'selection'>;
}

/** The commands that write, remove and list notes. */
export function noteCommands({ notes, panels, view }: NoteCommandsOptions) {
  return {
    bookmarkMessage: () => inPanel('bookmark'),
    noteMessage: () => inPanel('write'),

    async removeNote(argument?: unknown) {
      const target = noteIn(argument) ?? view.selection.flatMap((row) => noteIn(row) ?? [])[0];
      if (!target) throw new UserError(t`Choose a note in the Notes view first.`);
      await notes.remove(target.conversation, target.note);
      const undo = t`Undo`;
      if ((await showInformation(words`The note is removed.`, undo)) === undo)
        await notes.undo(target.conversation);
    },

    async undoNote() {
      await notes.undo();
    },

    async showNotes() {
      await vscode.commands.executeCommand(`${viewIds.notes}.focus`);
    },
  };

  /** Does something with the row that is selected in the panel in front. */
  function inPanel(noting: NonNullable<EventData<'show'>['noting']>): void {
    const conversation = panels.active;
    if (conversation === undefined)
      throw new UserError(t`Open a transcript, and choose the message that the note is about.`);
    panels.open(conversation, { noting });
  }
}

function noteIn(argument: unknown): { readonly conversation: string; readonly note: string } | undefined {
  if (!isObject(argument)) return undefined;
  const { conversation, note } = argument;
  return typeof conversation === 'string' && typeof note === 'string' ? { conversation, note } : undefined;
}
