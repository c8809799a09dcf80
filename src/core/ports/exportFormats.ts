/** The formats whose result is a text. */
export const TEXT_FORMATS = ['json', 'markdown', 'csv', 'html'] as const;

/** Every format of the library, the panel and the commands; `dict` gives objects instead of a text. */
export const EXPORT_FORMATS = ['json', 'markdown', 'csv', 'dict', 'html'] as const;

/**
 * The formats of other tools, which read what is written in them: Harbor's trajectories, messages of chat completions with a line
 * for each conversation or for each request, Anthropic's messages, sessions that Claude Code and Codex go on with, and spans of
 * OpenTelemetry.
 */
export const BRIDGE_FORMATS = [
  'atif',
  'chat-jsonl',
  'request-jsonl',
  'anthropic',
  'claude-session',
  'codex-session',
  'otlp-json',
] as const;

/** Every format that is written as one text. */
export const FILE_FORMATS = [...EXPORT_FORMATS, ...BRIDGE_FORMATS] as const;

/** What a transcript can be saved as: besides those formats, a folder of Parquet tables. */
export const SAVED_FORMATS = [...FILE_FORMATS, 'parquet'] as const;

/** A format whose result is a text. */
export type TextFormat = (typeof TEXT_FORMATS)[number];
/** A format that messages can be exported in. */
export type ExportFormat = (typeof EXPORT_FORMATS)[number];
/** A format of another tool. */
export type BridgeFormat = (typeof BRIDGE_FORMATS)[number];
/** A format that is written as one text. */
export type FileFormat = (typeof FILE_FORMATS)[number];
/** What a transcript can be saved as. */
export type SavedFormat = (typeof SAVED_FORMATS)[number];

/** Whether a format is one of another tool. */
export function isBridgeFormat(format: SavedFormat): format is BridgeFormat {
  return (BRIDGE_FORMATS as readonly string[]).includes(format);
}
