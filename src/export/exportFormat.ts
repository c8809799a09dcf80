import { EXPORT_FORMATS, type ExportFormat } from '../ports/exportFormats.js';
import type { TokenCounter } from '../ports/tokenCounter.js';

export * from '../ports/exportFormats.js';

/** What an export did. */
export interface ExportReport {
  readonly messages: number;
  /** How many secrets were taken out. */
  readonly redacted: number;
}

/** How to export. */
export interface ExportOptions {
  /** JSON: spaces a level, 0 for one line; 2 by default. */
  readonly indent?: number | undefined;
  /** JSON: `index`, `token_count` (named as the reference implementation's files have it and as `dict` does) and, for records, time and place beside the fields of each message; off by default. */
  readonly includeMetadata?: boolean | undefined;
  /** CSV: the most code points of content; 500 by default. */
  readonly maxContentLength?: number | undefined;
  /** Whether secrets are taken out; on by default. */
  readonly redact?: boolean | undefined;
  /** Markdown: true where the messages are some of a conversation, so that none of them is no empty conversation. */
  readonly isSubset?: boolean | undefined;
  /** HTML: the title of the page. */
  readonly title?: string | undefined;
  /** Told once, when the export is complete. */
  readonly onReport?: ((report: ExportReport) => void) | undefined;
  /** Counts what no provider told; without one, JSON and CSV count words. */
  readonly tokenCounter?: TokenCounter | undefined;
}

/** Throws an error that names the valid formats when this is none. */
export function checkFormat(format: string): asserts format is ExportFormat {
  if ((EXPORT_FORMATS as readonly string[]).includes(format)) return;
  throw new Error(`Invalid export format: '${format}'. Valid formats: ${EXPORT_FORMATS.join(', ')}`);
}
