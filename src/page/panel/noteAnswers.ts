import type { Disposable } from '../../core/event.js';
import { messageOf } from '../../core/text.js';
import type { Log } from '../../core/ports/log.js';
import type { RequestHandlers } from '../protocol/requestServer.js';
import type { NoteKeeper, PanelTranscript } from './ports.js';

/** What the notes of a panel work with. */
export interface NoteOptions {
  readonly conversation: string;
  readonly notes: NoteKeeper;
  readonly transcript: PanelTranscript;
  readonly log: Log;
}

/** Answers what a page asks of notes, and gives the transcript the notes about it as they change. */
export class PanelNotes implements Disposable {
  readonly #options: NoteOptions;
  readonly #following: Disposable;
  #told: string | undefined;

  constructor(handlers: RequestHandlers, options: NoteOptions) {
    const { conversation, notes, transcript } = options;
    this.#options = options;
    this.#following = notes.onDidChange((changed) => {
      if (changed === undefined || changed === conversation) void this.tell();
    });
    handlers.add('writeNote', async ({ row, note, text }) => {
      if (note !== undefined) await notes.rewrite(conversation, note, text);
      else await notes.add(conversation, await transcript.noteTargetOf(row), text);
      return {};
    });
    handlers.add('removeNote', async ({ note }) => {
      await notes.remove(conversation, note);
      return {};
    });
    handlers.add('undoNote', async () => ({ undone: await notes.undo(conversation) }));
  }

  /** Reads the notes and hands them to the transcript, unless it has them. Never rejects. */
  async tell(): Promise<void> {
    const { conversation, notes, transcript, log } = this.#options;
    try {
      const { notes: all } = await notes.of(conversation);
      await transcript.setNotes(all);
    } catch (error) {
      const why = messageOf(error);
      // Said once: the panel shows the transcript all the same.
      if (this.#told !== why) log.warn(`The notes of ${conversation} are not shown: ${why}`);
      this.#told = why;
    }
  }

  dispose(): void {
    this.#following.dispose();
  }
}
