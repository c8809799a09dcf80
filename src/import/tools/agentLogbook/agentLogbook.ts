import { isObject } from '../../../core/message.js';
import type { ConversationBuilder, Draft } from '../../building/conversationBuilder.js';
import type { ImportSink } from '../../building/importSink.js';
import { KnownTexts } from '../../spool/knownTexts.js';
import { MIN_TEXT } from '../../rest/lostTexts.js';
import { fields, text, without, type Fields, number } from '../../reading/fields.js';
import { CARRIED, most, type TranscriptFormat } from '../../building/transcriptFormat.js';
import type { CallSite } from '../../../core/record.js';

/** Where an export keeps what a record holds besides its message: always the last key of an element. */
const RECORD_KEY = /^(?:record|_+export_metadata)$/;

/** What it adds to a record without a message that adds to the cost of all. */
const COSTS = ['cost_usd', 'cost_provenance'] as const;
/** What an export adds to each message for readers; the record says all of it but the counts and the cost, which are counted. */
const ADDED = ['index', 'token_count', 'timestamp', 'agent', 'depth', 'run', 'call', ...COSTS] as const;
const ADDED_KEY = /^_+(?:export_)?metadata$/;

/** This project's own exports as JSON, which hold each record whole. */
export const agentLogbook: TranscriptFormat = {
  name: 'agent-logbook',
  of: 'Agent Logbook',
  files: 'its own exports as JSON',
  carries: CARRIED,
  detect: (head) => (Array.isArray(head[0]) && head.length === 1 ? isExport(head[0]) : isExport(head)),
  *readLines(lines, sink) {
    const conversations = new Map<unknown, Exported>();
    for (const value of sink.each(lines))
      for (const element of Array.isArray(value) ? (value as unknown[]) : [value]) {
        readElement(element, sink, conversations);
        yield;
      }
  },
};

/** A conversation whose records are being read. */
interface Exported {
  readonly builder: ConversationBuilder;
  /** The ids of its records so far: a second record under one of them gets an id of its own. */
  readonly ids: KnownTexts;
}

function isExport(values: readonly unknown[]): boolean {
  return values.length > 0 && most(values, (value) => recordKeyOf(value) !== undefined);
}

function recordKeyOf(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  const key = Object.keys(value).at(-1) ?? '';
  const record = value[key];
  return RECORD_KEY.test(key) && isObject(record) && typeof record.seq === 'number' ? key : undefined;
}

function readElement(element: unknown, sink: ImportSink, conversations: Map<unknown, Exported>): void {
  if (isEnding(element)) {
    countIn(element, sink);
    sink.counted(element.title);
    const [only, ...others] = conversations.values();
    if (only && others.length === 0) only.builder.title ??= text(element.title);
    return;
  }
  const key = recordKeyOf(element);
  const all = fields(element);
  const record = fields(all[key ?? '']);
  const { builder, ids } = conversationOf(record.conversation, sink, conversations);
  if (key === undefined) {
    builder.keep(builder.entry, 'unknown', element);
    sink.unknown('values that are no exported records');
    return;
  }
  const message = messageOf(without(all, key), sink);
  const draft = addOwnRecord(builder, { ...without(record, 'message'), ...(message && { message }) });
  const id = text(record.id);
  if (id !== undefined && ids.numberOf(id) < 0) draft.body = { ...draft.body, id };
  if (id !== undefined) ids.add(id);
}

/**
 * Whether an element is what an export ends with: what the conversation is called, how many of its lines stood, what all cost and what filled the windows,
 * which is worked out anew.
 */
function isEnding(element: unknown): element is Fields {
  const { title, lines, cost, context, ...more } = fields(element);
  if (Object.keys(more).length > 0) return false;
  const isTitle = typeof title === 'string';
  const isLines = typeof fields(lines).put === 'number';
  const isCost = typeof fields(cost).requests === 'number';
  const isContext = Array.isArray(fields(context).windows);
  return (
    (isTitle || isLines || isCost || isContext) &&
    (isTitle || title === undefined) &&
    (isLines || lines === undefined) &&
    (isCost || cost === undefined) &&
    (isContext || context === undefined)
  );
}

/** Words by which an export says how a number is known, by which prices, and of what it is. */
const WORDS_OF_ENDING =
  /^(?:reported|estimated|unrecorded|thinking|genai-prices [\d.]+(?: and own prices|; own prices are not used.*)?)$/;

/**
 * Notes the numbers of a value, and the words for them, as what records are counted by; names stand in the records, but short ones
 * may stand within the arguments of a call.
 */
function countIn(value: unknown, sink: ImportSink): void {
  if (typeof value === 'number') sink.counted(value);
  else if (typeof value === 'string' && (value.length < MIN_TEXT || WORDS_OF_ENDING.test(value)))
    sink.counted(value);
  else if (isObject(value) || Array.isArray(value))
    for (const each of Object.values(value)) countIn(each, sink);
}

function conversationOf(id: unknown, sink: ImportSink, known: Map<unknown, Exported>): Exported {
  const found = known.get(id) ?? { builder: sink.conversation(id, 'assistant'), ids: new KnownTexts() };
  known.set(id, found);
  return found;
}

/** The message without what the export added to it; undefined for a record that carries none. */
function messageOf(element: Fields, sink: ImportSink): Fields | undefined {
  const keys = Object.keys(element);
  if (keys.length === COSTS.length && COSTS.every((key) => Object.hasOwn(element, key))) {
    for (const key of COSTS) sink.counted(element[key]);
    return undefined;
  }
  if (keys.length === 0) return undefined;
  const last = keys.at(-1) ?? '';
  const apart = fields(element[last]);
  const isApart = ADDED_KEY.test(last) && typeof apart.index === 'number';
  const added = isApart ? apart : element;
  if (typeof added.index !== 'number' || !('token_count' in added)) return element;
  for (const counted of [added.index, added.token_count, added.cost_usd, added.cost_provenance])
    sink.counted(counted);
  return isApart ? without(element, last) : without(element, ...ADDED);
}

/** What a record says of itself and its place; the rest is its body. */
const HEADER = ['seq', 'id', 'time', 'conversation', 'run', 'call', 'parentCall', 'agent', 'depth'] as const;

/** Adds a record that this product wrote elsewhere, as it was but for its number and id. */
export function addOwnRecord(builder: ConversationBuilder, record: Fields): Draft {
  const { spill, source, ...body } = without(record, ...HEADER);
  if (record.type === 'title') builder.title = text(record.title) ?? builder.title;
  return builder.add(
    callSiteOf(record, builder.entry),
    {
      ...body,
      type: text(body.type) ?? 'message',
      // The texts are in the record itself; where the files were that held them is kept as data, and leads nowhere.
      ...(spill !== undefined
        ? { source: { ...fields(source), spill } }
        : source !== undefined && { source }),
    },
    positive(record.time),
  );
}

function callSiteOf(record: Fields, entry: CallSite): CallSite {
  const parentCall = text(record.parentCall);
  return {
    run: text(record.run) ?? entry.run,
    call: text(record.call) ?? entry.call,
    ...(parentCall !== undefined && { parentCall }),
    agent: text(record.agent) ?? entry.agent,
    depth: Math.max(0, Math.trunc(number(record.depth) ?? 0)),
  };
}

/** A time in milliseconds; undefined for 0, which means unknown. */
function positive(time: unknown): number | undefined {
  const milliseconds = number(time);
  return milliseconds !== undefined && milliseconds > 0 ? milliseconds : undefined;
}
