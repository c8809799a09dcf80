import { isObject } from '../../core/message.js';
import type { Fields } from './fields.js';
import { nestsDeeper } from './nesting.js';
import { cutData, cutObject, serverEvents } from './serverEvents.js';

/** The objects in a recorded stream: server-sent events, or pieces of an answer of Ollama, a line each; empty for any other text. */
export function streamedObjects(text: string): readonly Fields[] {
  const events = serverEvents(text);
  return events.length > 0 ? events : objectsOf(ollamaLines(text));
}

/** Whether a value is an answer of Ollama's own API, or a piece of one. */
export function isOllamaPiece(value: unknown): value is Fields {
  if (!isObject(value) || typeof value.done !== 'boolean' || typeof value.model !== 'string') return false;
  return isObject(value.message) || typeof value.response === 'string';
}

/** What stands on the lines of a stream of Ollama's: objects, and the text of a line that was cut; empty for any other text. */
export function ollamaLines(text: string): readonly unknown[] {
  if (!isOllamaStream(text)) return [];
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const values = lines.map((line) => objectIn(line) ?? line);
  const last = values.at(-1);
  const cut = typeof last === 'string' ? cutObject(last) : undefined;
  return cut ? [...values.slice(0, -1), cut.event, ...(cut.rest === '' ? [] : [cut.rest])] : values;
}

/** Whether a stream broke off within one of its objects. */
export function isCutStream(text: string): boolean {
  if (cutData(text) !== undefined) return true;
  const last = isOllamaStream(text) ? text.slice(text.lastIndexOf('\n') + 1) : '';
  return objectIn(last) === undefined && cutObject(last) !== undefined;
}

/** Whether a text is several lines of which the first is a piece of an answer of Ollama. */
function isOllamaStream(text: string): boolean {
  // A glance at the beginning is enough for nearly every text.
  if (!/^\s*\{[^\n]{0,100}"model"/.test(text.slice(0, 200))) return false;
  const lines = text.trim();
  const end = lines.indexOf('\n');
  return end > 0 && isOllamaPiece(objectIn(lines.slice(0, end)));
}

function objectsOf(values: readonly unknown[]): readonly Fields[] {
  return values.filter((value) => isObject(value));
}

function objectIn(line: string): Fields | undefined {
  if (nestsDeeper(line)) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    // It was cut.
    return undefined;
  }
}
