/** The role of a chat-completions message. */
export type Role = 'system' | 'developer' | 'user' | 'assistant' | 'tool';

/** A text in a content list. */
export interface TextPart {
  readonly type: 'text';
  readonly text: string;
}

/** An image in a content list, by URL or as a `data:` URL. */
export interface ImagePart {
  readonly type: 'image_url';
  readonly image_url: { readonly url: string; readonly detail?: string };
}

/** A part of a content list that is passed through without being interpreted (audio, file, …). */
export interface OtherPart {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** One entry of a message's content list. */
export type ContentPart = TextPart | ImagePart | OtherPart;

/** A tool call of an assistant message; `arguments` is the JSON text exactly as the model wrote it. */
export interface ToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
  /** Opaque data that the provider expects back with the call (Gemini's thought signatures). */
  readonly extra_content?: unknown;
}

/**
 * One chat-completions message. As on the wire, null is allowed where a value may be absent;
 * unknown keys are passed through.
 */
export interface ChatMessage {
  readonly role: Role;
  readonly content?: string | null | readonly ContentPart[];
  readonly name?: string;
  readonly tool_calls?: readonly ToolCall[] | null;
  readonly tool_call_id?: string;
  /** The model's reasoning where the endpoint returns it; sent back only to endpoints that require it. */
  readonly reasoning_content?: string;
  /** The reasoning as opaque data that the provider expects back: signed or encrypted pieces. */
  readonly reasoning_details?: readonly unknown[];
  readonly refusal?: string | null;
}

/** The text of a message's content: the string itself, or its text parts joined; '' for anything else. */
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
