import { message, type Message } from '../../core/l10n.js';
import type { SavedFormat } from '../../core/ports/exportFormats.js';

/** What every format is called, in menus of pages and of the editor, in the order in which they are offered. */
export const formatNames: Readonly<Record<SavedFormat, Message>> = {
  markdown: message`Markdown`,
  html: message`Web page`,
  json: message`JSON`,
  csv: message`CSV`,
  dict: message`Dictionaries`,
  atif: message`ATIF trajectory`,
  'chat-jsonl': message`Chat completions by conversation`,
  'request-jsonl': message`Chat completions by request`,
  anthropic: message`Anthropic messages`,
  'claude-session': message`Claude Code session`,
  'codex-session': message`Codex session`,
  'otlp-json': message`OpenTelemetry spans`,
  parquet: message`Parquet tables`,
};
