import { isObject } from '../../core/message.js';
import { cutJson, type CutJson } from './cutJson.js';
import { type Fields } from './fields.js';
import { jsonValue } from './jsonText.js';
import { nestsDeeper } from './nesting.js';

/** The keys under which the events of the known APIs have what is being said. */
const SAID = new Set(
  'content text refusal reasoning reasoning_content thinking delta arguments partial_json response'.split(
    ' ',
  ),
);

/** An object of a stream that broke off within it, as far as it came, and what stands behind its last whole thing. */
export interface CutEvent {
  readonly event: Fields;
  readonly rest: string;
}

/** The object that a text is the beginning of; undefined where it is none, or says nothing. */
export function cutObject(text: string): CutEvent | undefined {
  if (!text.startsWith('{')) return undefined;
  const { value, rest = '' } = cutValue(text) ?? {};
  return isObject(value) ? { event: value, rest } : undefined;
}

/** The value of an API that a text is the beginning of; undefined where it is none, or says nothing. */
export function cutValue(text: string): CutJson | undefined {
  // What stands for a character of which only the beginning is there says nothing.
  return cutJson(Buffer.from(text.replace(/\uFFFD+$/, '')), (key) => SAID.has(key));
}

/** The event that a recorded stream broke off within; undefined where it ended between two. */
export function cutEvent(stream: string): CutEvent | undefined {
  const data = cutData(stream);
  return data === undefined ? undefined : cutObject(data);
}

/** The data that a recorded stream broke off within, be it before anything was said in it; undefined where it did not. */
export function cutData(stream: string): string | undefined {
  const line = stream.slice(Math.max(stream.lastIndexOf('\n'), stream.lastIndexOf('\r')) + 1);
  const [, data = ''] = /^\uFEFF?data:\s*(\{.*)$/s.exec(line.trimEnd()) ?? [];
  return data === '' || nestsDeeper(data) || eventOf(data, undefined) ? undefined : data;
}

/** The objects in a recorded stream of server-sent events, the last of which may have been cut; empty for a text that is none. */
export function serverEvents(stream: string): Fields[] {
  const events: Fields[] = [];
  let data: string[] = [];
  let name: string | undefined;
  const flush = () => {
    const event = eventOf(data.join('\n'), name);
    if (event) events.push(event);
    data = [];
    name = undefined;
  };
  for (const line of stream.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)) {
    if (line.startsWith('data:')) {
      // Recordings often lose the blank lines between events; then every line of data is an event.
      if (data.length > 0 && eventOf(data.join('\n'), name)) flush();
      data.push(line.slice('data:'.length).trimStart());
    } else if (line.startsWith('event:')) {
      if (data.length > 0) flush();
      name = line.slice('event:'.length).trim();
    } else if (line === '') flush();
  }
  flush();
  const cut = cutEvent(stream);
  if (cut) events.push(cut.event);
  return events;
}

/** What lines of server-sent events begin with; a comment, with a colon. */
const FIELDS = [':', 'data:', 'event:', 'id:', 'retry:'];

/** Whether a text has only lines of server-sent events, be it comments, or events that were cut. */
export function isEventText(text: string): boolean {
  const lines = text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\r|\n/)
    .filter((line) => line.trim() !== '');
  const isField = (line: string) => FIELDS.some((field) => line.startsWith(field));
  const last = lines.at(-1) ?? '';
  const isBegun = lines.length > 1 && FIELDS.some((field) => field.startsWith(last));
  return isField(lines[0] ?? '') && lines.slice(1, -1).every(isField) && (isBegun || isField(last));
}

/** Whether a text consists of server-sent events. */
export function isEventStream(text: string): boolean {
  return /^\s*(?::[^\n]*\s+)*(?:(?:event|id|retry):[^\n]*\s+)*data:\s*[[{]/.test(text.slice(0, 10_000));
}

function eventOf(data: string, name: string | undefined): Fields | undefined {
  // What nests too deep is no event of any API, and nothing that goes through it would end well.
  if (!data.startsWith('{') || nestsDeeper(data)) return undefined;
  try {
    const value: unknown = jsonValue(data);
    if (!isObject(value)) return undefined;
    return name === undefined || typeof value.type === 'string' ? value : { ...value, event: name };
  } catch {
    // Data that is no JSON is a mark like [DONE], or an event that was cut.
    return undefined;
  }
}
