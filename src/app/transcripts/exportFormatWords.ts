import type { Message } from '../../core/l10n.js';
import type { FileFormat } from '../../core/ports/exportFormats.js';
import { formatNames } from '../../page/protocol/formatNames.js';

/** How the editor names a format. */
export interface FormatWords {
  readonly label: Message;
  /** The VS Code language id of the text. */
  readonly language: string;
  readonly extension: string;
}

/** The formats that tell how many lines still stand. */
export const TELLS_KEPT: ReadonlySet<FileFormat> = new Set(['markdown', 'html', 'json']);

/** The label, language and file extension of each format, in the order in which they are offered. */
export const formatWords: Readonly<Record<FileFormat, FormatWords>> = {
  markdown: { label: formatNames.markdown, language: 'markdown', extension: 'md' },
  html: { label: formatNames.html, language: 'html', extension: 'html' },
  json: { label: formatNames.json, language: 'json', extension: 'json' },
  csv: { label: formatNames.csv, language: 'csv', extension: 'csv' },
  dict: { label: formatNames.dict, language: 'json', extension: 'json' },
  atif: { label: formatNames.atif, language: 'json', extension: 'json' },
  'chat-jsonl': { label: formatNames['chat-jsonl'], language: 'jsonl', extension: 'jsonl' },
  'request-jsonl': { label: formatNames['request-jsonl'], language: 'jsonl', extension: 'jsonl' },
  'claude-session': { label: formatNames['claude-session'], language: 'jsonl', extension: 'jsonl' },
  'codex-session': { label: formatNames['codex-session'], language: 'jsonl', extension: 'jsonl' },
  'otlp-json': { label: formatNames['otlp-json'], language: 'jsonl', extension: 'otlp.jsonl' },
  anthropic: { label: formatNames.anthropic, language: 'jsonl', extension: 'jsonl' },
};
