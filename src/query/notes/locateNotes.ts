import type { Note, NoteTarget, LocatedNote } from '../../core/note.js';
import { yieldToEventLoop } from '../../core/yieldToEventLoop.js';
import type { ReadRecord, Transcript } from '../../core/ports/transcript.js';
import { callCountOf, excerptOf, messageIdOf, sourceIdOf } from './noteTarget.js';

/** Where the notes of a transcript stand in it, by their ids; those are left out whose message is not in it. */
export type NotePositions = ReadonlyMap<string, Pick<NoteTarget, 'position' | 'call'>>;

/** How many records are read at a time where all have to be looked at. */
const BATCH = 500;

/**
 * Finds what notes are about. As long as a conversation only grows, that stands where it stood; all records are read only
 * where it does not. Rejects where the transcript cannot be read or the signal is aborted.
 */
export async function locateNotes(
  notes: readonly Note[],
  transcript: Pick<Transcript, 'read'>,
  signal?: AbortSignal,
): Promise<NotePositions> {
  const places = new Map<string, Pick<NoteTarget, 'position' | 'call'>>();
  const lost: Note[] = [];
  for (const note of notes) {
    const { position } = note.about;
    const [record] = await transcript.read(position, position + 1);
    signal?.throwIfAborted();
    if (record && isWhereItStood(note.about, record)) places.set(note.id, positionOf(note.about, position));
    else lost.push(note);
  }
  for (const [note, position] of await search(lost, transcript, signal))
    places.set(note.id, positionOf(note.about, position));
  return places;
}

/**
 * The position of the message with an id, as links name it; undefined where none has it. Looks `near` a position first, and
 * reads all only where it is not there. Rejects where the transcript cannot be read or the signal is aborted.
 */
export async function positionOfMessage(
  id: string,
  transcript: Pick<Transcript, 'read'>,
  { near, signal }: { readonly near?: number | undefined; readonly signal?: AbortSignal } = {},
): Promise<number | undefined> {
  const isIt = (record: ReadRecord) => record.id === id || messageIdOf(record) === id;
  const [there] = near === undefined ? [] : await transcript.read(near, near + 1);
  if (there && isIt(there)) return near;
  for (let from = 0; ; from += BATCH) {
    const records = await transcript.read(from, from + BATCH);
    if (records.length === 0) return undefined;
    await yieldToEventLoop();
    signal?.throwIfAborted();
    const at = records.findIndex(isIt);
    if (at >= 0) return from + at;
  }
}

/** Notes where they stand in a transcript, as questions ask for them. */
export function locatedNotes(notes: readonly Note[], places: NotePositions): LocatedNote[] {
  return notes.flatMap(({ id, text }) => {
    const place = places.get(id);
    return place ? [{ ...place, text }] : [];
  });
}

function positionOf({ call }: NoteTarget, position: number): Pick<NoteTarget, 'position' | 'call'> {
  return { position, ...(call !== undefined && { call }) };
}

/** Ids of imports count the records of a file, so another record may have that id now; ours are given once. */
function isWhereItStood(about: NoteTarget, record: ReadRecord): boolean {
  if (record.id !== about.record) return false;
  if (isUniqueId(about.record)) return true;
  const isAsItWas = record.time === about.time && sourceIdOf(record) === about.source;
  return isAsItWas && saysTheSame(about, record);
}

function isUniqueId(id: string): boolean {
  return /^m_[0-9a-f]{32}$/.test(id);
}

function saysTheSame({ call, excerpt }: NoteTarget, record: ReadRecord): boolean {
  return (call === undefined || call < callCountOf(record)) && excerptOf(record, call) === excerpt;
}

/** Looks through all records for what is the same as notes are about; of several, for the one that is most likely it. */
async function search(
  notes: readonly Note[],
  transcript: Pick<Transcript, 'read'>,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<Note, number>> {
  const best = new Map<Note, { readonly position: number; readonly likeness: number }>();
  for (let from = 0; notes.length > 0; from += BATCH) {
    const records = await transcript.read(from, from + BATCH);
    if (records.length === 0) break;
    await yieldToEventLoop();
    signal?.throwIfAborted();
    for (const [at, record] of records.entries()) {
      for (const note of notes) {
        const likeness = likenessOf(note.about, record);
        if (likeness === 0) continue;
        const position = from + at;
        const known = best.get(note);
        const isBetter =
          !known ||
          likeness > known.likeness ||
          (likeness === known.likeness && distance(note, position) < distance(note, known.position));
        if (isBetter) best.set(note, { position, likeness });
      }
    }
  }
  return new Map([...best].map(([note, { position }]) => [note, position]));
}

function distance({ about }: Note, position: number): number {
  return Math.abs(about.position - position);
}

/**
 * How likely a record is the one that a note is about; 0 where it is another one. It has the id that its tool gave it, or
 * it says the same; what an id of ours names is nothing else.
 */
function likenessOf(about: NoteTarget, record: ReadRecord): number {
  if (isUniqueId(about.record) && record.id === about.record) return 100;
  if (about.call !== undefined && about.call >= callCountOf(record)) return 0;
  const isSameText = saysTheSame(about, record);
  const isSameSource = about.source !== undefined && sourceIdOf(record) === about.source;
  if (!isSameText && !isSameSource) return 0;
  const isSameTime = about.time > 0 && record.time === about.time;
  return (
    (isSameSource ? 8 : 0) +
    (isSameText ? 4 : 0) +
    (isSameTime ? 2 : 0) +
    (record.agent === about.agent ? 1 : 0)
  );
}
