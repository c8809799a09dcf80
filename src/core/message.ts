/** Who speaks in a chat-completions message. */
export type Role = 'system' | 'developer' | 'user' | 'assistant' | 'tool';

export interface TextPart {
  readonly type: 'text';
  readonly text: string;
}

export interface ImagePart {
  readonly type: 'image_url';
  readonly image_url: { readonly url: string; readonly detail?: string };
}

/** A part of a content list that we carry along without knowing it (audio, file, …). */
export interface OtherPart {
  readonly type: string;
  readonly [key: string]: unknown;
}

export type ContentPart = TextPart | ImagePart | OtherPart;

/** A tool call of an assistant message; `arguments` is the raw JSON text as the model wrote it. */
export interface ToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
  /** What its provider wants back with the call, unchanged and unread (Gemini's thought signatures). */
  readonly extra_content?: unknown;
}

/**
 * One chat-completions message. The wire allows null where a value could be left out, and so do we;
 * unknown keys are carried along.
 */
export interface ChatMessage {
  readonly role: Role;
  readonly content?: string | null | readonly ContentPart[];
  readonly name?: string;
  readonly tool_calls?: readonly ToolCall[] | null;
  readonly tool_call_id?: string;
  /** The model's reasoning where the endpoint gives it; sent back to those only that demand it. */
  readonly reasoning_content?: string;
  /** The same as its provider wants it back, unchanged and unread: signed or encrypted pieces. */
  readonly reasoning_details?: readonly unknown[];
  readonly refusal?: string | null;
}

/** The text of a message's content: the string itself, or its text parts joined; '' for null and everything else. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  let text = '';
  for (const part of content as unknown[]) {
    if (!isObject(part) || part.type !== 'text') continue;
    if (typeof part.text === 'string') text += part.text;
  }
  return text;
}

/** Whether a value is a JSON object (not null, not an array). */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
