import type { ExportRow } from './exportRow.js';

/** Writes one export: `add` gives the text for the next row, `end` the rest. The joined texts are the export. */
export interface TextWriter {
  add(row: ExportRow): string;
  end(): string;
}
