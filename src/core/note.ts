/** The longest text of a note, in UTF-16 code units. */
export const MAX_NOTE_LENGTH = 10_000;

/**
 * What a note is about: a record of a conversation, or one of the tool calls that it makes. An import that is made again may
 * give a message another id and another place, so what else tells it apart is kept too.
 */
export interface NoteTarget {
  /** The id of the record. */
  readonly record: string;
  /** Which of its tool calls, from 0; absent: the record as a whole. */
  readonly call?: number;
  /** Where the record stood when the note was written. */
  readonly position: number;
  /** When the record was made, in milliseconds since 1970; 0 where that is unknown. */
  readonly time: number;
  readonly role: string;
  readonly agent: string;
  /** The id that the tool gave it which wrote the imported file, where that is known. */
  readonly source?: string;
  /** The beginning of what it says, on one line. */
  readonly excerpt: string;
}

/** What a person has written about a message or a tool call; with an empty text only a bookmark. */
export interface Note {
  readonly id: string;
  readonly about: NoteTarget;
  readonly text: string;
  /** When it was written first, and last; milliseconds since 1970. */
  readonly createdAt: number;
  readonly changedAt: number;
}

/** A change of the notes of a conversation: a note as it is from now on, or the id of one that is removed. */
export type NoteChange =
  | { readonly kind: 'set'; readonly note: Note }
  | { readonly kind: 'remove'; readonly id: string; readonly at: number };

/** Where a note stands in a transcript, and what it says. */
export interface LocatedNote {
  readonly position: number;
  /** Which of the record's tool calls, from 0; absent: the record as a whole. */
  readonly call?: number | undefined;
  readonly text: string;
}
