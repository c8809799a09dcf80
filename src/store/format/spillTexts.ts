import { createHash } from 'node:crypto';
import { type ChatMessage, type ContentPart, isObject } from '../../core/message.js';
import type { LogRecord, MessageRecord, SpillRef } from '../../core/record.js';
import { firstCodePoints } from '../../core/text.js';
import { safeFileName } from '../files/safeFileName.js';
import { SPILL_FOLDERS } from '../files/storePaths.js';
import type { ReadRecord } from '../../core/ports/transcript.js';

/** How many references are remembered; others are found through their record. */
const MAX_REMEMBERED = 10_000;

/** References by path, as far as their records have been read. */
export class SpillRefs {
  readonly #refs = new Map<string, SpillRef>();

  remember(records: Iterable<ReadRecord>): void {
    for (const record of records) {
      if (!('spill' in record)) continue;
      for (const ref of refsOf(record)) this.#refs.set(ref.path, ref);
    }
    for (const path of this.#refs.keys()) {
      if (this.#refs.size <= MAX_REMEMBERED) break;
      this.#refs.delete(path);
    }
  }

  get(path: string): SpillRef | undefined {
    return this.#refs.get(path);
  }
}

/** Texts of more UTF-8 bytes than this get a file of their own (50 KiB, set by the format). */
const SPILL_BYTES = 51_200;
/** How many characters of such a text stay in the record. */
const SPILL_HEAD = 500;

/** A text of a message: its field, and its index where the field is a list. */
interface LocatedText {
  readonly field: SpillRef['field'];
  readonly index?: number;
  readonly text: string;
}

/** A text that is moved out of its record, as it is written. */
export interface SpilledText {
  readonly ref: SpillRef;
  /** The file name, which is the last step of the reference's path. */
  readonly name: string;
  readonly bytes: Buffer;
}

/** A record as its line has it, and the large texts that stand in files instead; most records have none. */
export function withTextsApart(
  record: LogRecord,
  conversationName: string,
): { readonly record: LogRecord; readonly texts: readonly SpilledText[] } {
  const texts = spilledTexts(record, conversationName);
  if (record.type !== 'message' || texts.length === 0) return { record, texts };
  const refs = [...(record.spill ?? []), ...texts.map(({ ref }) => ref)];
  return { record: withoutSpilled(record, refs), texts };
}

/** Whether a record has a text that gets a file of its own. */
export function hasLargeText(record: LogRecord): boolean {
  return record.type === 'message' && textsOf(record.message).some(({ text }) => isLarge(text));
}

/** The texts that are too large for a record, ready to be written; most records have none. */
function spilledTexts(record: LogRecord, conversationName: string): SpilledText[] {
  if (record.type !== 'message') return [];
  return textsOf(record.message)
    .filter(({ text }) => isLarge(text))
    .map((placed) => spilled(placed, record.id, conversationName));
}

function isLarge(text: string): boolean {
  // A UTF-16 code unit takes at most three bytes in UTF-8, so short texts need no counting.
  return text.length * 3 > SPILL_BYTES && Buffer.byteLength(text) > SPILL_BYTES;
}

function textsOf(message: ChatMessage): LocatedText[] {
  const { content, tool_calls: calls, reasoning_content: reasoning } = message;
  const texts: LocatedText[] = [];
  if (typeof content === 'string') texts.push({ field: 'content', text: content });
  else content?.forEach((part, index) => texts.push({ field: 'content', index, text: textOfPart(part) }));
  calls?.forEach((call, index) => texts.push({ field: 'arguments', index, text: call.function.arguments }));
  if (reasoning !== undefined) texts.push({ field: 'reasoning', text: reasoning });
  return texts;
}

function textOfPart(part: ContentPart): string {
  if (part.type === 'text' && typeof part.text === 'string') return part.text;
  return urlOf(part) ?? '';
}

function urlOf(part: ContentPart): string | undefined {
  if (part.type !== 'image_url' || typeof part.image_url !== 'object' || part.image_url === null)
    return undefined;
  return 'url' in part.image_url && typeof part.image_url.url === 'string' ? part.image_url.url : undefined;
}

/**
 * The file contains the text itself in UTF-8. A text with a lone surrogate has no UTF-8 form: its file contains it as a
 * JSON string, which the file name indicates.
 */
function spilled({ field, index, text }: LocatedText, id: string, conversationName: string): SpilledText {
  const place =
    field === 'content' && index === undefined ? '' : `.${field}${index === undefined ? '' : `-${index}`}`;
  const escaped = /\p{Surrogate}/u.test(text);
  const name = `${safeFileName(id)}${place}${escaped ? ESCAPED : ''}.json`;
  const bytes = Buffer.from(escaped ? JSON.stringify(text) : text);
  const path = [...SPILL_FOLDERS, conversationName, name].join('/');
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return {
    name,
    bytes,
    ref: { field, ...(index !== undefined && { index }), path, bytes: bytes.length, sha256 },
  };
}

const ESCAPED = '.escaped';

/** Decodes the bytes of a spill file. */
export function textOfSpill(name: string, bytes: Buffer): string {
  if (!name.endsWith(`${ESCAPED}.json`)) return bytes.toString('utf8');
  const text: unknown = JSON.parse(bytes.toString('utf8'));
  return typeof text === 'string' ? text : '';
}

/** The record with its spilled texts cut to their beginning, and the references to their files. */
function withoutSpilled(record: MessageRecord, spill: readonly SpillRef[]): MessageRecord {
  return {
    ...record,
    message: replaceTexts(record.message, spill, (_, text) => firstCodePoints(text, SPILL_HEAD)),
    spill,
  };
}

/** A copy of a message in which the text of each reference is replaced. */
export function replaceTexts(
  message: ChatMessage,
  spill: readonly SpillRef[],
  replace: (ref: SpillRef, text: string) => string,
): ChatMessage {
  let { content, tool_calls: calls, reasoning_content: reasoning } = message;
  for (const ref of spill) {
    if (ref.field === 'reasoning') reasoning = reasoning !== undefined ? replace(ref, reasoning) : reasoning;
    else if (ref.field === 'arguments') {
      calls = calls?.map((call, index) =>
        index === ref.index
          ? { ...call, function: { ...call.function, arguments: replace(ref, call.function.arguments) } }
          : call,
      );
    } else if (typeof content === 'string') content = replace(ref, content);
    else
      content = content?.map((part, index) =>
        index === ref.index ? withText(part, replace(ref, textOfPart(part))) : part,
      );
  }
  return {
    ...message,
    ...(content !== undefined && { content }),
    ...(calls !== undefined && { tool_calls: calls }),
    ...(reasoning !== undefined && { reasoning_content: reasoning }),
  };
}

function withText(part: ContentPart, text: string): ContentPart {
  if (part.type === 'text') return { ...part, text };
  if (urlOf(part) === undefined) return part;
  const { image_url: image } = part as { image_url?: object };
  return { ...part, image_url: { ...image, url: text } };
}

/** The references in a record from a file; malformed ones are left out. */
export function refsOf(record: ReadRecord): SpillRef[] {
  if (record.type !== 'message' || !Array.isArray(record.spill)) return [];
  return (record.spill as unknown[]).filter(isRef);
}

function isRef(value: unknown): value is SpillRef {
  return (
    isObject(value) &&
    (value.field === 'content' || value.field === 'arguments' || value.field === 'reasoning') &&
    (value.index === undefined || typeof value.index === 'number') &&
    typeof value.path === 'string' &&
    typeof value.bytes === 'number' &&
    typeof value.sha256 === 'string'
  );
}

/** The message id in the path of a spilled text, where the id is a valid file name. */
export function idInPath(path: string): string | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const id = /^(.+?)(?:\.(?:content|arguments|reasoning)(?:-\d+)?)?(?:\.escaped)?\.json$/.exec(name)?.[1];
  return id?.includes('~') ? undefined : id;
}
