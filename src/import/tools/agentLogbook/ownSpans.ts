import { chatMessageOf, withDifference } from '../../../core/genAiMessage.js';
import { isObject } from '../../../core/message.js';
import { OWN, OWN_SCOPE } from '../../../core/ownSpans.js';
import { fields, list, number, objects, parsed, text, type Fields } from '../../reading/fields.js';
import type { RawSpan } from '../../trace/rawSpans.js';

/** What of a span says only what records say, or what was made of them. */
const TOLD: ReadonlySet<string> = new Set([
  OWN.records,
  'gen_ai.input.messages',
  'gen_ai.output.messages',
  'gen_ai.tool.call.arguments',
  'gen_ai.tool.call.result',
]);

/**
 * The records that spans of this product were made of, in their order and each once; undefined where the spans are others', or
 * have lost what only we wrote on them.
 */
export function ownRecordsOf(spans: readonly RawSpan[]): readonly Fields[] | undefined {
  if (!spans.every(({ origin }) => fields(origin.scope).name === OWN_SCOPE)) return undefined;
  const found = new Map<string, { readonly seq: number; readonly record: Fields }>();
  for (const span of spans)
    for (const piece of objects(parsed(span.attributes[OWN.records]))) {
      const record = recordOf(piece, span);
      const seq = number(record.seq) ?? 0;
      found.set(`${seq} ${text(record.id) ?? ''}`, { seq, record });
    }
  if (found.size === 0) return undefined;
  return [...found.values()].sort((a, b) => a.seq - b.seq).map(({ record }) => record);
}

/** The texts and numbers of a span that were made of its records, so that nothing is missed where they stand in none. */
export function* derivedIn({ name, attributes, events, rest, origin, error }: RawSpan): Generator {
  yield* [name, error];
  yield* leavesOf(rest);
  yield* leavesOf(origin);
  yield* leavesOf(events);
  for (const [key, value] of Object.entries(attributes)) if (!TOLD.has(key)) yield* leavesOf(value);
  // What a message does not have stands in no record.
  for (const { differs } of objects(parsed(attributes[OWN.records]))) yield* list(fields(differs).without);
}

function* leavesOf(value: unknown): Generator {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'number') yield* [value, String(value)];
  else if (isObject(value) || Array.isArray(value))
    for (const each of Object.values(value)) yield* leavesOf(each);
}

function recordOf(piece: Fields, span: RawSpan): Fields {
  const place = fields(parsed(span.attributes[OWN.place]));
  const record = { ...place, ...fields(piece.record) };
  const message = messageAt(piece, span.attributes);
  return message ? { ...record, message } : record;
}

function messageAt({ at, list: isList, differs }: Fields, attributes: Fields): Fields | undefined {
  const [where, index] = list(at);
  const read =
    where === 'result' ? resultIn(attributes, isList === true) : saidIn(attributes, where, index, isList);
  return read && withDifference(read, fields(differs));
}

function resultIn(attributes: Fields, isList: boolean): Fields {
  const told = attributes['gen_ai.tool.call.result'];
  const id = attributes['gen_ai.tool.call.id'] ?? '';
  return { role: 'tool', tool_call_id: id, content: isList ? parsed(told) : told };
}

function saidIn(attributes: Fields, where: unknown, index: unknown, isList: unknown): Fields | undefined {
  if (where !== 'in' && where !== 'out') return undefined;
  const said = objects(parsed(attributes[`gen_ai.${where}put.messages`]));
  const message = said[number(index) ?? -1];
  if (!message) return undefined;
  const { role, parts, name } = message;
  return chatMessageOf(
    { role: text(role) ?? '', parts: objects(parts), ...(typeof name === 'string' && { name }) },
    isList === true,
  );
}
