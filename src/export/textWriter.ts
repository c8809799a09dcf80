import type { UntypedMessage } from '../analysis/transcriptItem.js';
import type { ExportRow } from './exportRow.js';

/** Writes one export: `add` gives the text for the next row, `end` the rest, with a last line where
 * the format is for people and there is one. The joined texts are the export. */
export interface TextWriter {
  add(row: ExportRow): string;
  /** The text for a record that carries no message, in a full export; undefined where the format has no place for it. */
  note?(record: UntypedMessage): string | undefined;
  end(lastLine?: string): string;
}

/** Counts what stands in the messages and not in the export. */
export type LeaveOut = (what: string) => void;
