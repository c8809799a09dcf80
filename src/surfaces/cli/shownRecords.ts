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
  /** Where it stands in this reading, from 0. */
  readonly at: number;
  /** Its position for ever: where it stood when it was first read, or behind all others where one had that before. */
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
  /** The positions of those that say the same at the last reading, and what its last messages said, by their fingerprints. */
  #places = new Map<string, number[]>();
  #open = new Map<string, MessageOutline>();
  /** The first position of each session that no record has had. */
  readonly #free = new Map<string, number>();
  #lost = 0;
  #isAnother = false;

  /**
   * What of a reading of a session is new, in order; from then on it is known. The records are gone through twice. `hasGrown`: its file
   * has what it had before, so that a message which says something else in its place is the same one.
   */
  async *newIn(
    session: string,
    records: () => AsyncIterable<ReadRecord>,
    hasGrown: boolean,
  ): AsyncGenerator<NewRecord, void, undefined> {
    const { prints, counts, open } = await lookedAt(records());
    const before = this.#places;
    const gone = new Map<string, { readonly outline: MessageOutline; readonly position: number }>();
    this.#lost = 0;
    for (const [print, places] of before) {
      const [position, ...others] = places.splice(counts.get(print) ?? 0);
      const outline = this.#open.get(print);
      if (position === undefined) continue;
      if (outline) gone.set(print, { outline, position });
      if (print.startsWith(MESSAGE)) this.#lost += 1 + others.length;
    }
    this.#isAnother = before.size > 0 && ![...counts.keys()].some((print) => before.has(print));
    this.#places = new Map();
    this.#open = open;
    let at = 0;
    for await (const record of records()) {
      const print = prints[at] ?? '';
      const known = before.get(print)?.shift();
      if (known === undefined) {
        const changed = hasGrown ? at : undefined;
        const { before: place = this.#behind(session, at), ...shown } = this.#shownOf(record, gone, changed);
        yield { at, record, ...shown, position: this.#put(session, print, place) };
      } else this.#put(session, print, known);
      at++;
    }
  }

  /** Notes that a record was shown which came behind all that the last reading had; gives its position. */
  add(session: string, record: ReadRecord, at: number): number {
    const print = printOf(record);
    noteOutline(print, record, this.#open);
    return this.#put(session, print, this.#behind(session, at));
  }

  /** Where a record stands, or behind all that had a position before. */
  #behind(session: string, at: number): number {
    return Math.max(at, this.#free.get(session) ?? 0);
  }

  #put(session: string, print: string, position: number): number {
    const places = this.#places.get(print);
    if (places) places.push(position);
    else this.#places.set(print, [position]);
    this.#free.set(session, this.#behind(session, position + 1));
    return position;
  }

  /** Whether the last reading has nothing in common with that before; to be asked from its first new record on. */
  get isAnother(): boolean {
    return this.#isAnother;
  }

  /** How many messages of the reading before are not in the last one, nor have gone on there; to be asked after it. */
  get lost(): number {
    return this.#lost;
  }

  /** What of a record is new, and the position that it had `before` where it goes on, or has changed where it stands, `at`. */
  #shownOf(
    record: ReadRecord,
    gone: Map<string, { readonly outline: MessageOutline; readonly position: number }>,
    at: number | undefined,
  ): Pick<NewRecord, 'shown' | 'goesOn'> & { readonly before?: number } {
    for (const [print, { outline, position }] of gone) {
      const rest = restBehind(record, outline);
      if (rest === undefined) continue;
      gone.delete(print);
      this.#lost--;
      return { shown: rest, goesOn: true, before: position };
    }
    const isChanged = [...gone.values()].some(
      ({ outline, position }) => position === at && outline.speaker === outlineOf(record)?.speaker,
    );
    return { shown: record, goesOn: false, ...(isChanged && at !== undefined && { before: at }) };
  }
}

/** How the fingerprint of a message begins. */
const MESSAGE = 'message ';

async function lookedAt(records: AsyncIterable<ReadRecord>) {
  const prints: string[] = [];
  const counts = new Map<string, number>();
  const open = new Map<string, MessageOutline>();
  for await (const record of records) {
    const print = printOf(record);
    prints.push(print);
    counts.set(print, (counts.get(print) ?? 0) + 1);
    noteOutline(print, record, open);
  }
  return { prints, counts, open };
}

/** Notes what a message says, as one of the last that may still go on. */
function noteOutline(print: string, record: ReadRecord, open: Map<string, MessageOutline>): void {
  const outline = outlineOf(record);
  if (!outline) return;
  open.delete(print);
  open.set(print, outline);
  const [first = ''] = open.keys();
  if (open.size > MAX_OPEN_MESSAGES) open.delete(first);
}

/** What tells a record from others that say something else. */
function printOf(record: ReadRecord): string {
  const said = Object.entries(record).filter(([key]) => !PLACE_KEYS.has(key));
  const hash = createHash('sha256').update(JSON.stringify(said)).digest('base64');
  return `${record.type === 'message' ? MESSAGE : ''}${hash}`;
}
