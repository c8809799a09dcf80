import { isObject } from '../core/message.js';
import { messageOf, preview, singleLine } from '../core/text.js';

/** The arguments of a tool call, or what is wrong with them, for the model. */
export type ParsedArguments =
  | { readonly ok: true; readonly args: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly problem: string };

/** The deepest nesting, more than any schema needs, so that recursion over the value stays shallow. */
const MAX_DEPTH = 200;

/** Parses the JSON text of a call's arguments. An empty text counts as an empty object, because some models send it. */
export function parseArguments(text: string): ParsedArguments {
  if (text.trim() === '') return { ok: true, args: {} };
  if (nestingOf(text) > MAX_DEPTH) {
    return { ok: false, problem: `The arguments are nested deeper than ${MAX_DEPTH} levels.` };
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const got = singleLine(preview(text));
    return { ok: false, problem: `The arguments are not valid JSON (${messageOf(error)}). Got: ${got}` };
  }
  return isObject(value)
    ? { ok: true, args: value }
    : { ok: false, problem: 'The arguments must be one JSON object.' };
}

/** The deepest nesting of brackets outside of strings. */
function nestingOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (inString) {
      if (character === '\\') index++;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{' || character === '[') deepest = Math.max(deepest, ++depth);
    else if (character === '}' || character === ']') depth--;
  }
  return deepest;
}
