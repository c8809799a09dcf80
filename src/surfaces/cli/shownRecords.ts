import { createHash } from 'node:crypto';
import type { ReadRecord } from '../../core/ports/transcript.js';
import { messageIn, type UntypedMessage } from '../../query/numbers/transcriptItem.js';

/** What a person sees of a message, as far as it must be known to tell what a later reading adds to it. */
interface MessageOutline {
  /** Who says it. */
  readonly speaker: string;
  readonly time: unknown;
  readonly texts: Readonly<Record<TextKey, string>>;
  /** The parts of a content that is a list, and the calls, as JSON. */
  readonly lists: Readonly<Record<ListKey, readonly string[]>>;
  /** What stands in its head: model, tokens, whether it failed. */
  readonly head: string;
}

const TEXT_KEYS = ['content', 'reasoning_content', 'refusal'] as const;
const LIST_KEYS = ['content', 'tool_calls'] as const;
type TextKey = (typeof TEXT_KEYS)[number];
type ListKey = (typeof LIST_KEYS)[number];

/** The outline of a message; undefined for a record of another type. */
function outlineOf(record: ReadRecord): MessageOutline | undefined {
  const message = saidIn(record);
  if (!message) return undefined;
  const { agent, time, model, usage, partial, isError, durationMs, toolName } = record as Partial<
    Record<string, unknown>
  >;
  const text = (key: TextKey) => (typeof message[key] === 'string' ? message[key] : '');
  const list = (key: ListKey) => partsOf(message[key]).map((part) => JSON.stringify(part));
  return {
    speaker: JSON.stringify([message.role, message.tool_call_id, agent]),
    time,
    texts: {
      content: text('content'),
      reasoning_content: text('reasoning_content'),
      refusal: text('refusal'),
    },
    lists: { content: list('content'), tool_calls: list('tool_calls') },
    head: JSON.stringify([model, usage, partial, isError, durationMs, toolName]),
  };
}

/**
 * What a message says behind what it said before, as a record; 'nothing' where a person sees nothing new in it. Undefined where
 * it is not that message, or was changed other than by going on.
 */
function restBehind(record: ReadRecord, before: MessageOutline): ReadRecord | 'nothing' | undefined {
  const message = saidIn(record);
  const now = outlineOf(record);
  if (!message || now?.speaker !== before.speaker) return undefined;
  // An answer may get the time of what it says last.
  if (now.time !== before.time && isSilent(before)) return undefined;
  const rest: Record<string, unknown> = { ...message };
  let isMore = now.head !== before.head;
  for (const key of TEXT_KEYS) {
    const more = textBehind(now.texts[key], before.texts[key]);
    if (more === undefined) return undefined;
    if (typeof message[key] === 'string') rest[key] = more;
    isMore ||= more !== '';
  }
  for (const key of LIST_KEYS) {
    const [all, known] = [now.lists[key], before.lists[key]];
    if (known.some((part, at) => all[at] !== part)) return undefined;
    if (known.length > 0) rest[key] = partsOf(message[key]).slice(known.length);
    isMore ||= all.length > known.length;
  }
  return isMore ? { ...record, message: rest } : 'nothing';
}

/**
 * What a text says behind another; undefined where it does not begin with it, or goes on in the middle of a line: a secret may
 * stand there, of which neither half would be known to be one.
 */
function textBehind(text: string, before: string): string | undefined {
  if (before === '' || text === before) return text.slice(before.length);
  const more = text.startsWith(before) ? text.slice(before.length) : '';
  return more.startsWith('\n') ? more.replace(/^\n+/, '') : undefined;
}

function isSilent({ texts, lists }: MessageOutline): boolean {
  return [...Object.values(texts), ...Object.values(lists)].every(({ length }) => length === 0);
}

function saidIn(record: ReadRecord): UntypedMessage | undefined {
  return record.type === 'message' ? messageIn(record) : undefined;
}

function partsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** How many of the last messages may still go on: of an earlier one that changes, all is shown again. */
const MAX_OPEN_MESSAGES = 200;

/** What another reading of a file changes in a record without that it says anything else: its place among the others. */
const PLACE_KEYS: ReadonlySet<string> = new Set([
  'seq',
  'id',
  'conversation',
  'run',
  'call',
  'parentCall',
  'childCall',
]);

/** A record that says what no reading before has said. */
export interface NewRecord {
  readonly position: number;
  readonly record: ReadRecord;
  /** What is new in it: the rest of one that was there and went on, 'nothing' that a person sees, or all of it. */
  readonly shown: ReadRecord | 'nothing';
  /** Whether it was there before, and went on. */
  readonly goesOn: boolean;
}

/**
 * What the records of a session that is read again and again have said so far. A record is known by what it says and how often,
 * because one that grows, or comes between others, moves all those behind it.
 */
export class ShownRecords {
  /** How often each was there at the last reading, and what the last messages of it said, by their fingerprints. */
  #counts = new Map<string, number>();
  #open = new Map<string, MessageOutline>();
  #lost = 0;
  #isAnother = false;

  /** What of a reading is new, in order; from then on it is known. The records are gone through twice. */
  async *newIn(records: () => AsyncIterable<ReadRecord>): AsyncGenerator<NewRecord, void, undefined> {
    const { prints, counts, open } = await lookedAt(records());
    const gone = new Map<string, MessageOutline>();
    this.#lost = 0;
    for (const [print, count] of this.#counts) {
      const less = count - (counts.get(print) ?? 0);
      const outline = this.#open.get(print);
      if (less > 0 && outline) gone.set(print, outline);
      if (less > 0 && print.startsWith(MESSAGE)) this.#lost += less;
    }
    this.#isAnother = this.#counts.size > 0 && ![...counts.keys()].some((print) => this.#counts.has(print));
    const known = new Map(this.#counts);
    this.#counts = counts;
    this.#open = open;
    let position = 0;
    for await (const record of records()) {
      const print = prints[position] ?? '';
      const left = known.get(print) ?? 0;
      if (left > 0) known.set(print, left - 1);
      else yield { position, record, ...this.#shownOf(record, gone) };
      position++;
    }
  }

  /** Notes that a record was shown which came behind all that the last reading had. */
  add(record: ReadRecord): void {
    note(record, this.#counts, this.#open);
  }

  /** Whether the last reading has nothing in common with that before; to be asked from its first new record on. */
  get isAnother(): boolean {
    return this.#isAnother;
  }

  /** How many messages of the reading before are not in the last one, nor have gone on there; to be asked after it. */
  get lost(): number {
    return this.#lost;
  }

  #shownOf(record: ReadRecord, gone: Map<string, MessageOutline>): Pick<NewRecord, 'shown' | 'goesOn'> {
    for (const [print, before] of gone) {
      const rest = restBehind(record, before);
      if (rest === undefined) continue;
      gone.delete(print);
      this.#lost--;
      return { shown: rest, goesOn: true };
    }
    return { shown: record, goesOn: false };
  }
}

/** How the fingerprint of a message begins. */
const MESSAGE = 'message ';

async function lookedAt(records: AsyncIterable<ReadRecord>) {
  const prints: string[] = [];
  const counts = new Map<string, number>();
  const open = new Map<string, MessageOutline>();
  for await (const record of records) prints.push(note(record, counts, open));
  return { prints, counts, open };
}

/** Notes what a record says; gives its fingerprint. */
function note(record: ReadRecord, counts: Map<string, number>, open: Map<string, MessageOutline>): string {
  const print = printOf(record);
  counts.set(print, (counts.get(print) ?? 0) + 1);
  const outline = outlineOf(record);
  if (!outline) return print;
  open.delete(print);
  open.set(print, outline);
  const [first = ''] = open.keys();
  if (open.size > MAX_OPEN_MESSAGES) open.delete(first);
  return print;
}

/** What tells a record from others that say something else. */
function printOf(record: ReadRecord): string {
  const said = Object.entries(record).filter(([key]) => !PLACE_KEYS.has(key));
  const hash = createHash('sha256').update(JSON.stringify(said)).digest('base64');
  return `${record.type === 'message' ? MESSAGE : ''}${hash}`;
}
