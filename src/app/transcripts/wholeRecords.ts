import type { ChatMessage } from '../../core/message.js';
import { isMessageRecord, type LogRecord, type MessageRecord } from '../../core/record.js';
import type { ReadRecord, Transcript } from '../../ports/transcript.js';

/** How many records are read at once. */
const PAGE = 500;

/**
 * The records of a transcript, or those at `positions`, in order, with spilled texts restored. Reads page by page, one
 * page ahead; ends early when the signal is aborted.
 */
export async function* wholeRecords(
  transcript: Transcript,
  positions?: readonly number[],
  signal?: AbortSignal,
): AsyncGenerator<ReadRecord, void, undefined> {
  const wanted = positions && new Set(positions);
  const end = positions ? (positions.at(-1) ?? -1) + 1 : transcript.length;
  const first = positions?.[0] ?? 0;
  let reading = readPage(transcript, first, end);
  for (let start = first; start < end; start += PAGE) {
    const page = await reading;
    if (signal?.aborted === true) return;
    reading = readPage(transcript, start + PAGE, end);
    for (const [at, record] of page.entries()) {
      if (wanted && !wanted.has(start + at)) continue;
      yield isSpilled(record) ? await whole(record, transcript) : record;
    }
  }
}

/** The page at `start`; its promise may be abandoned without an unhandled rejection. */
function readPage(transcript: Transcript, start: number, end: number): Promise<readonly ReadRecord[]> {
  if (start >= end) return Promise.resolve([]);
  const page = transcript.read(start, Math.min(start + PAGE, end));
  page.catch(() => undefined);
  return page;
}

/** The records from `start` up to, not including, `end`, as {@link wholeRecords} gives them. */
export function recordsBetween(
  transcript: Transcript,
  start: number,
  end: number,
  signal: AbortSignal,
): AsyncGenerator<ReadRecord, void, undefined> {
  const positions = Array.from({ length: Math.max(0, end - start) }, (_, at) => start + at);
  return wholeRecords(transcript, positions, signal);
}

type SpilledRecord = MessageRecord & { readonly spill: NonNullable<MessageRecord['spill']> };

function isSpilled(record: ReadRecord): record is SpilledRecord {
  return isMessageRecord(record) && record.spill !== undefined;
}

async function whole(record: SpilledRecord, transcript: Transcript): Promise<LogRecord> {
  let { message } = record;
  for (const spill of record.spill) {
    const text = await transcript.readSpill(spill.path);
    if (text !== undefined) message = restored(message, spill, text);
  }
  return { ...record, message };
}

type Spill = SpilledRecord['spill'][number];

function restored(message: ChatMessage, { field, index }: Spill, text: string): ChatMessage {
  switch (field) {
    case 'content':
      return { ...message, content: text };
    case 'reasoning':
      return { ...message, reasoning_content: text };
    case 'arguments':
      return {
        ...message,
        tool_calls: (message.tool_calls ?? []).map((call, at) =>
          at === index ? { ...call, function: { ...call.function, arguments: text } } : call,
        ),
      };
  }
}
