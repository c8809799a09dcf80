import type { Redactor } from './secrets/redact.js';

/** What a person has noted about an exported item. */
export interface ExportNote {
  /** Empty for a bookmark. */
  readonly text: string;
  /** Which tool call of the message, from 0; absent: all of it. */
  readonly call?: number | undefined;
}

/** Notes without their secrets, if that is asked for. */
export function cleanNotes(
  notes: readonly ExportNote[],
  redactor: Redactor | undefined,
): readonly ExportNote[] {
  return redactor ? notes.map((note) => ({ ...note, text: redactor.text(note.text) })) : notes;
}

/** A note on one line or several: what it says, and of which tool call. */
export function noteLine({ text, call }: ExportNote, tools: readonly string[]): string {
  const about = call === undefined ? '' : ` on the call of ${tools[call] ?? 'a tool'}`;
  return text === '' ? `Bookmark${about}` : `Note${about}: ${text}`;
}
