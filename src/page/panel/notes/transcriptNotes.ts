import type { Note, LocatedNote } from '../../../core/note.js';
import type { Transcript } from '../../../core/ports/transcript.js';
import type { RowNote } from '../../protocol/row.js';
import { locatedNotes, locateNotes, type NotePositions } from '../../../query/notes/locateNotes.js';
import { ROW, type RowIndex } from '../rows/rowIndex.js';
import type { RowSources } from '../rows/rowSources.js';

/** The notes about one transcript, where they stand in it. */
export class TranscriptNotes {
  readonly #transcript: Pick<Transcript, 'read'>;
  #notes: readonly Note[] = [];
  #places: NotePositions = new Map();
  /** The notes of each record, by its position. */
  #at: ReadonlyMap<number, readonly Note[]> = new Map();
  #latest = 0;

  constructor(transcript: Pick<Transcript, 'read'>) {
    this.#transcript = transcript;
  }

  /** Takes the notes as they are now; gives the positions of the records whose notes have changed. */
  async take(notes: readonly Note[]): Promise<readonly number[]> {
    const number = ++this.#latest;
    const places = await locateNotes(notes, this.#transcript);
    // Those that came later are newer.
    if (number !== this.#latest) return [];
    const at = new Map<number, Note[]>();
    for (const note of notes) {
      const place = places.get(note.id);
      if (place) at.set(place.position, [...(at.get(place.position) ?? []), note]);
    }
    const before = this.#at;
    this.#notes = notes;
    this.#places = places;
    this.#at = at;
    const written = (of: readonly Note[] | undefined) => JSON.stringify(of ?? []);
    const all = new Set([...before.keys(), ...at.keys()]);
    return [...all].filter((position) => written(before.get(position)) !== written(at.get(position)));
  }

  /** As questions ask for them. */
  get placed(): readonly LocatedNote[] {
    return locatedNotes(this.#notes, this.#places);
  }

  /** Where a note stands; undefined where its message is not in the transcript. */
  positionOf(id: string): number | undefined {
    return this.#places.get(id)?.position;
  }

  /** The notes that a row shows. */
  ofRow(sources: RowSources): readonly RowNote[] {
    const notes = this.#at.get(sources.position) ?? [];
    if (notes.length === 0) return [];
    const call = callOfRow(sources);
    const isShown = (note: Note) => {
      const about = this.#places.get(note.id)?.call;
      // What a message says and its tool calls are rows of their own; the first shows what is about all of it.
      return about === call || (about === undefined && sources.isFirst);
    };
    return notes.filter(isShown).map(({ id, text, changedAt }) => ({ id, text, changedAt }));
  }
}

/** Which tool call of its record a row is of; undefined for the record as a whole. */
export function callOfRow({
  kind,
  record,
  sub,
}: Pick<RowSources, 'kind' | 'record' | 'sub'>): number | undefined {
  const isCall = kind === ROW.tool || kind === ROW.dispatch;
  return isCall && record.type === 'message' ? sub : undefined;
}

/** Makes the rows of records be sent anew. */
export function markRowsOf(positions: readonly number[], index: RowIndex): void {
  for (const position of positions) {
    const first = index.rowOfRecord(position);
    if (first === undefined) continue;
    for (let row = first; row < index.endOfRows(position, first); row++) index.markChanged(row);
  }
}
