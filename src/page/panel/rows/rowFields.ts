import { injectedOf, injectedWords, ownTextOf } from '../../../core/injected.js';
import { textOf, isObject } from '../../../core/message.js';
import type { RecordHeader, SpillRef, UnknownRecord } from '../../../core/record.js';
import type { CutText, RowField } from '../../protocol/row.js';
import { failureWords } from '../../../query/numbers/failures.js';
import { jsonText } from '../../../query/numbers/jsonText.js';
import { messageIn } from '../../../query/numbers/transcriptItem.js';
import { callsOf, rawArgumentsOf } from '../../../query/numbers/toolCalls.js';
import { dispatchAnswer } from './dispatchAnswer.js';
import { numberOr, textOr } from '../../../query/numbers/values.js';
import type { RowSources } from './rowSources.js';

const HEADER: ReadonlySet<string> = new Set<keyof RecordHeader>([
  'seq',
  'id',
  'time',
  'conversation',
  'run',
  'call',
  'parentCall',
  'agent',
  'depth',
]);

/** A text of a row as in its record; with `spill`, only the beginning of a text that is in a file of its own. */
export interface FieldText {
  readonly text: string;
  readonly spill?: { readonly path: string; readonly bytes: number };
}

/** A text of a row, as far as its record has it; for images, `part` is the index of the content part. */
export function fieldOf(sources: RowSources, field: RowField, part = 0): FieldText {
  const { record, result, dispatch } = sources;
  const message = messageIn(record) ?? {};
  switch (field) {
    case 'body':
      return withSpill(ownTextOf(record), record, 'content');
    case 'injected':
      return withSpill(injectedText(record, textOf(message.content)), record, 'content');
    case 'reasoning':
      return withSpill(textOr(message.reasoning_content), record, 'reasoning');
    case 'refusal':
      return { text: textOr(message.refusal) };
    case 'image':
      return imageField(result ?? record, part);
    case 'arguments':
      return withSpill(
        rawArgumentsOf(callsOf(message)[sources.sub]?.input),
        record,
        'arguments',
        sources.sub,
      );
    case 'result':
      return result ? withSpill(resultOf(sources), result, 'content') : { text: '' };
    case 'task':
      return { text: textOr(dispatch?.task) };
    case 'detail':
      return { text: detailOf(sources) };
  }
}

/** The beginning of a text, at most `limit` UTF-16 code units without half a character, and how much is left out. */
export function cutField({ text, spill }: FieldText, limit: number): CutText {
  const spilled = spill && { spilledBytes: spill.bytes };
  if (text.length <= limit) return { text, rest: 0, ...spilled };
  const end = isHalf(text.charCodeAt(limit - 1)) ? limit - 1 : limit;
  return { text: text.slice(0, end), rest: text.length - end, ...spilled };
}

/** Whether a UTF-16 code unit is a high surrogate. */
export function isHalf(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** The words that a tool put into the text of a message, or into the whole of a text that is kept elsewhere, apart from each other. */
export function injectedText(record: UnknownRecord, content: string): string {
  const words = injectedWords(content, injectedOf(record));
  return words.map(({ text }) => text).join('\n\n');
}

function resultOf({ result, dispatch }: RowSources): string {
  const text = textOf(messageIn(result ?? {})?.content);
  return dispatch ? dispatchAnswer(text).text : text;
}

/** The URL of a picture in a record's message. */
function imageField(record: UnknownRecord, part: number): FieldText {
  const url = imageUrlOf(partsOf(messageIn(record))[part]) ?? '';
  return withSpill(url, record, 'content', part);
}

function withSpill(text: string, record: UnknownRecord, field: SpillRef['field'], index?: number): FieldText {
  const spill = spillOf(record, field, index);
  return spill ? { text, spill } : { text };
}

/** The spill reference of a field; without `index` that of a text, never that of a picture beside it. */
export function spillOf(record: UnknownRecord, field: SpillRef['field'], index?: number): FieldText['spill'] {
  const refs = Array.isArray(record.spill) ? (record.spill as (Partial<SpillRef> | null)[]) : [];
  const parts = refs.length > 0 ? partsOf(messageIn(record)) : [];
  const isMeant = (at: number | undefined) =>
    index === undefined ? at === undefined || imageUrlOf(parts[at]) === undefined : at === index;
  const ref = refs.find((each) => each?.field === field && isMeant(each.index)) ?? undefined;
  return ref && { path: textOr(ref.path), bytes: numberOr(ref.bytes) ?? 0 };
}

function detailOf({ record, ofFailure = [] }: RowSources): string {
  if (ofFailure.length > 0) {
    const all = [record, ...ofFailure];
    const lines = all.map((each, at) => `${at + 1}. ${failureWords(each)}`);
    return `${lines.join('\n')}\n\n${jsonText(all.map(withoutHeader), 2)}`;
  }
  switch (record.type) {
    case 'approval':
      return textOr(record.subject);
    case 'message':
    case 'callStart':
    case 'callEnd':
    case 'title':
      return '';
    case 'error':
    case 'request':
      return jsonText(record.error, 2);
    default:
      return jsonText(withoutHeader(record), 2);
  }
}

function withoutHeader(record: UnknownRecord): object {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !HEADER.has(key)));
}

/** How many parts of one message are processed. */
export const MAX_PARTS = 50;

/** The parts of a content list; empty where the content is a text. */
export function partsOf(message: unknown): readonly unknown[] {
  const content = isObject(message) ? message.content : undefined;
  return Array.isArray(content) ? (content as unknown[]) : [];
}

/** The URL of an image part; undefined for any other part. */
export function imageUrlOf(part: unknown): string | undefined {
  if (!isObject(part) || part.type !== 'image_url' || !isObject(part.image_url)) return undefined;
  return textOr(part.image_url.url);
}
