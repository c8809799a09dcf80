import { message, type Message } from '../../core/l10n.js';
import type { FileFormat } from '../../ports/exportFormats.js';

/** How the editor names a format. */
export interface FormatWords {
  readonly label: Message;
  /** The VS Code language id of the text. */
  readonly language: string;
  readonly extension: string;
}

/** The label, language and file extension of each format, in the order in which they are offered. */
export const formatWords: Readonly<Record<FileFormat, FormatWords>> = {
  markdown: { label: message`Markdown`, language: 'markdown', extension: 'md' },
  html: { label: message`Web page`, language: 'html', extension: 'html' },
  json: { label: message`JSON`, language: 'json', extension: 'json' },
  csv: { label: message`CSV`, language: 'csv', extension: 'csv' },
  dict: { label: message`Dictionaries`, language: 'json', extension: 'json' },
  atif: { label: message`ATIF trajectory`, language: 'json', extension: 'json' },
  'chat-jsonl': { label: message`Chat completions by conversation`, language: 'jsonl', extension: 'jsonl' },
  'request-jsonl': { label: message`Chat completions by request`, language: 'jsonl', extension: 'jsonl' },
  'claude-session': { label: message`Claude Code session`, language: 'jsonl', extension: 'jsonl' },
  'codex-session': { label: message`Codex session`, language: 'jsonl', extension: 'jsonl' },
  'otlp-json': { label: message`OpenTelemetry spans`, language: 'jsonl', extension: 'otlp.jsonl' },
  anthropic: { label: message`Anthropic messages`, language: 'jsonl', extension: 'jsonl' },
};
