import { systemClock, type Clock } from '../../core/clock.js';
import { Emitter, type Disposable, type ListenerFailure } from '../../core/event.js';
import { t } from '../../core/l10n.js';
import { MAX_NOTE_LENGTH, type Note, type NoteChange, type NoteTarget } from '../../core/note.js';
import type { SessionKey } from '../../core/sessionKey.js';
import type { StoredNotes } from '../../store/notes/noteFile.js';
import { UserError } from '../userError.js';

/** Where the notes of conversations are; both reject with an error for a person. */
export interface NoteFiles {
  read(conversation: string): Promise<StoredNotes>;
  change(conversation: string, changes: readonly NoteChange[]): Promise<void>;
}

/** How what is kept about a session that is in no store is named among conversations, whose ids have no such character. */
export const KEPT = 'kept:';

/** The session that such a name is of; undefined for the id of a conversation. */
export function keptIn(place: string): SessionKey | undefined {
  if (!place.startsWith(KEPT)) return undefined;
  const [tool = '', session = ''] = JSON.parse(place.slice(KEPT.length)) as string[];
  return { tool, session };
}

/** What was done last to a note, so that it can be undone. */
interface Done {
  readonly conversation: string;
  readonly before: Note | undefined;
  readonly after: Note | undefined;
}

/** What was undone: a note that was written, changed or removed. */
export type Undone = 'written' | 'changed' | 'removed';

/** How many changes can be undone. */
const MAX_UNDO = 100;

/** The notes of all conversations as this window reads and changes them; every change can be undone. */
export class NoteBook implements Disposable {
  readonly #files: NoteFiles;
  readonly #clock: Clock;
  readonly #changed: Emitter<string | undefined>;
  #done: readonly Done[] = [];

  constructor(files: NoteFiles, onFailure: ListenerFailure, clock: Clock = systemClock) {
    this.#files = files;
    this.#clock = clock;
    this.#changed = new Emitter(onFailure);
  }

  /** Fires with a conversation whose notes changed; with undefined where those of any may have. */
  get onDidChange() {
    return this.#changed.event;
  }

  /** The notes of a conversation; rejects with an error for a person. */
  of(conversation: string): Promise<StoredNotes> {
    return this.#files.read(conversation);
  }

  /** To be called when other windows may have changed notes. */
  lookAgain(): void {
    this.#changed.fire(undefined);
  }

  /** Writes a new note about something. Rejects with an error for a person. */
  async add(conversation: string, about: NoteTarget, text: string): Promise<void> {
    const now = this.#clock.now();
    const note = { id: newNoteId(), about, text: checked(text), createdAt: now, changedAt: now };
    await this.#do({ conversation, before: undefined, after: note });
  }

  /** Changes the text of a note. Rejects with an error for a person, as where the note is not there any more. */
  async rewrite(conversation: string, id: string, text: string): Promise<void> {
    const before = await this.#find(conversation, id);
    if (before.text === text) return;
    await this.#do({
      conversation,
      before,
      after: { ...before, text: checked(text), changedAt: this.#clock.now() },
    });
  }

  /** Removes a note. Rejects like `rewrite`. */
  async remove(conversation: string, id: string): Promise<void> {
    await this.#do({ conversation, before: await this.#find(conversation, id), after: undefined });
  }

  /**
   * Undoes what was done last here, in one conversation or in any. Rejects with an error for a person where there is
   * nothing to undo, and where the note was changed elsewhere since.
   */
  async undo(conversation?: string): Promise<Undone> {
    const last = this.#done.findLast(
      (each) => conversation === undefined || each.conversation === conversation,
    );
    if (!last) throw new UserError(t`There is no change of a note to undo.`);
    const { before, after } = last;
    const id = (after ?? before)?.id ?? '';
    const { notes } = await this.#files.read(last.conversation);
    this.#done = this.#done.filter((each) => each !== last);
    if (
      !isSame(
        notes.find((note) => note.id === id),
        after,
      )
    )
      throw new UserError(t`This note was changed elsewhere since; nothing was undone.`);
    await this.#write(last.conversation, id, before);
    return !before ? 'written' : after ? 'changed' : 'removed';
  }

  dispose(): void {
    this.#changed.dispose();
  }

  async #find(conversation: string, id: string): Promise<Note> {
    const { notes } = await this.#files.read(conversation);
    const note = notes.find((each) => each.id === id);
    if (!note) throw new UserError(t`This note is not there any more.`);
    return note;
  }

  async #do(done: Done): Promise<void> {
    const { conversation, before, after } = done;
    await this.#write(conversation, (after ?? before)?.id ?? '', after);
    this.#done = [...this.#done, done].slice(-MAX_UNDO);
  }

  async #write(conversation: string, id: string, note: Note | undefined): Promise<void> {
    const change: NoteChange = note ? { kind: 'set', note } : { kind: 'remove', id, at: this.#clock.now() };
    await this.#files.change(conversation, [change]);
    this.#changed.fire(conversation);
  }
}

function checked(text: string): string {
  if (text.length <= MAX_NOTE_LENGTH) return text.trim();
  throw new UserError(t`A note has at most ${MAX_NOTE_LENGTH} characters; this one has ${text.length}.`);
}

function isSame(one: Note | undefined, other: Note | undefined): boolean {
  return one?.text === other?.text && one?.changedAt === other?.changedAt;
}

function newNoteId(): string {
  return `n_${crypto.randomUUID().replaceAll('-', '')}`;
}
