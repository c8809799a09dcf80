import type { ExportFormat } from '../../ports/exportFormats.js';

/** How the editor names a format. */
export interface FormatWords {
  readonly label: string;
  /** The VS Code language id of the text. */
  readonly language: string;
  readonly extension: string;
}

/** The label, language and file extension of each format, in the order in which they are offered. */
export const formatWords: Readonly<Record<ExportFormat, FormatWords>> = {
  markdown: { label: 'Markdown', language: 'markdown', extension: 'md' },
  html: { label: 'Web page', language: 'html', extension: 'html' },
  json: { label: 'JSON', language: 'json', extension: 'json' },
  csv: { label: 'CSV', language: 'csv', extension: 'csv' },
  dict: { label: 'Dictionaries', language: 'json', extension: 'json' },
};
