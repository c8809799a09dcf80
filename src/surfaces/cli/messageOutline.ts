import { messageIn, type UntypedMessage } from '../../query/numbers/transcriptItem.js';
import type { ReadRecord } from '../../core/ports/transcript.js';

/** What a person sees of a message, as far as it must be known to tell what a later reading adds to it. */
export interface MessageOutline {
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
export function outlineOf(record: ReadRecord): MessageOutline | undefined {
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
export function restBehind(record: ReadRecord, before: MessageOutline): ReadRecord | 'nothing' | undefined {
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
