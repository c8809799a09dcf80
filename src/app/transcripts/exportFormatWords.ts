import { message, type Message } from '../../core/l10n.js';
import type { ExportFormat } from '../../ports/exportFormats.js';

/** How the editor names a format. */
export interface FormatWords {
  readonly label: Message;
  /** The VS Code language id of the text. */
  readonly language: string;
  readonly extension: string;
}

/** The label, language and file extension of each format, in the order in which they are offered. */
export const formatWords: Readonly<Record<ExportFormat, FormatWords>> = {
  markdown: { label: message`Markdown`, language: 'markdown', extension: 'md' },
  html: { label: message`Web page`, language: 'html', extension: 'html' },
  json: { label: message`JSON`, language: 'json', extension: 'json' },
  csv: { label: message`CSV`, language: 'csv', extension: 'csv' },
  dict: { label: message`Dictionaries`, language: 'json', extension: 'json' },
};
