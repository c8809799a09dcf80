import { NoteBook, type NoteFiles } from '../../src/app/notes/noteBook.js';
import type { NoteChange } from '../../src/core/note.js';
import { encodeLine } from '../../src/store/format/lineFormat.js';
import { notesIn, type StoredNotes } from '../../src/store/notes/noteFile.js';

/** The notes of conversations as they would stand in their files, in memory. */
export class MemoryNotes implements NoteFiles {
  readonly #files = new Map<string, string>();
  /** Why nothing can be read or written, where it cannot. */
  problem: string | undefined;

  read(conversation: string): Promise<StoredNotes> {
    if (this.problem !== undefined) return Promise.reject(new Error(this.problem));
    return Promise.resolve(notesIn(Buffer.from(this.#files.get(conversation) ?? '')));
  }

  change(conversation: string, changes: readonly NoteChange[]): Promise<void> {
    if (this.problem !== undefined) return Promise.reject(new Error(this.problem));
    const lines = changes.map((change) =>
      encodeLine(
        change.kind === 'set' ? { v: 1, set: change.note } : { v: 1, remove: change.id, at: change.at },
      ).toString(),
    );
    this.#files.set(conversation, [this.#files.get(conversation) ?? '', ...lines, ''].join('\n'));
    return Promise.resolve();
  }
}

/** A book of notes that are in memory; one that other windows share is given `files`. */
export function memoryNotes(files: NoteFiles = new MemoryNotes()): NoteBook {
  let now = 1_790_000_000_000;
  return new NoteBook(
    files,
    (error) => {
      throw error;
    },
    { now: () => ++now },
  );
}
