import { asText, type Fields } from '../reading/fields.js';

/** What is said beside the content; nothing of it is written where there is none. */
export interface SpokenBeside {
  readonly reasoning?: string | undefined;
  readonly calls?: readonly Fields[] | undefined;
}

/** A message of a role as chat completions write it. */
export function spokenMessage(
  role: unknown,
  content: unknown,
  { reasoning = '', calls = [] }: SpokenBeside,
): Record<string, unknown> {
  return {
    role,
    content,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

/** A tool call as chat completions write it; arguments that are no text become JSON. */
export function toolCall(id: unknown, name: unknown, input: unknown): Fields {
  return { ...idUnder('id', id), type: 'function', function: { name, arguments: asText(input ?? {}) } };
}

/** The result of a tool call as chat completions write it. */
export function toolMessage(id: unknown, content: unknown): Record<string, unknown> {
  return { role: 'tool', ...idUnder('tool_call_id', id), content };
}

/** A picture that lies at an address, as a part of a content. */
export function linkedPicture(url: string): Fields {
  return { type: 'image_url', image_url: { url } };
}

function idUnder(key: string, id: unknown): Fields {
  return id === undefined ? {} : { [key]: id };
}
