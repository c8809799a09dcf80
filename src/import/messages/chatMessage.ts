import { joined } from '../../core/joined.js';
import { isObject } from '../../core/message.js';
import { asText, list, type Fields } from '../reading/fields.js';

/** What a message may have besides its content; absent fields are not written. */
export interface MessageExtras {
  readonly reasoning?: string | undefined;
  readonly calls?: readonly Fields[] | undefined;
}

/** A chat-completions message. */
export function chatMessage(
  role: unknown,
  content: unknown,
  { reasoning = '', calls = [] }: MessageExtras,
): Record<string, unknown> {
  // Filled key by key: this is done with every message of a large file.
  const message: Record<string, unknown> = { role, content };
  if (reasoning !== '') message.reasoning_content = reasoning;
  if (calls.length > 0) message.tool_calls = calls;
  return message;
}

/** A chat-completions tool call; arguments that are not a string become JSON. */
export function toolCall(id: unknown, name: unknown, input: unknown): Fields {
  return joined(idUnder('id', id), { type: 'function', function: { name, arguments: asText(input ?? {}) } });
}

/** A chat-completions tool message. */
export function toolMessage(id: unknown, content: unknown): Record<string, unknown> {
  return { role: 'tool', ...idUnder('tool_call_id', id), content };
}

/**
 * The parts of a content: those of a list, where a bare text becomes a text part; an object on its own is the only part.
 * Null, undefined and anything else give none.
 */
export function contentParts(content: unknown): Fields[] {
  if (isObject(content)) return [content];
  return list(content).map((part) => (isObject(part) ? part : { type: 'text', text: asText(part) }));
}

/** A content part for a picture by its URL. */
export function linkedPicture(url: string): Fields {
  return { type: 'image_url', image_url: { url } };
}

/** A content part for a picture in base64 that comes without its kind, which its beginning tells; a PNG where that does not. */
export function encodedPicture(base64: string): Fields {
  const kind = base64.startsWith('/9j/') ? 'jpeg' : base64.startsWith('UklGR') ? 'webp' : 'png';
  return linkedPicture(`data:image/${kind};base64,${base64}`);
}

function idUnder(key: string, id: unknown): Fields {
  return id === undefined ? {} : { [key]: id };
}
