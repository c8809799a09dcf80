import { message, type Message } from '../../core/l10n.js';
import type { SavedFormat } from '../../core/ports/exportFormats.js';

/** What formats are for, with those that are: in this order they are offered. */
export const formatGroups: readonly { readonly words: Message; readonly formats: readonly SavedFormat[] }[] =
  [
    { words: message`To read`, formats: ['markdown', 'html'] },
    { words: message`To work with`, formats: ['json', 'csv', 'dict', 'parquet'] },
    {
      words: message`For other tools`,
      formats: [
        'claude-session',
        'codex-session',
        'atif',
        'chat-jsonl',
        'request-jsonl',
        'anthropic',
        'otlp-json',
      ],
    },
  ];

/** What every format is called, in menus of pages and of the editor. */
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
