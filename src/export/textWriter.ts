import type { ExportRow } from './exportRow.js';

/** Writes one export: text for each row in its order, then the rest. The joined texts are the export. */
export interface TextWriter {
  add(row: ExportRow): string;
  end(): string;
}
