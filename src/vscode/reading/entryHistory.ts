import type { ChatMessage } from '../../core/message.js';
import { isMessageRecord, type LogRecord } from '../../core/record.js';
import type { Transcript } from '../../ports/transcript.js';
import { wholeRecords } from './wholeRecords.js';

/** What the entry agent of a recorded conversation remembers, and how to go on with it. */
export interface EntryHistory {
  /** Its messages of all runs. */
  readonly messages: readonly ChatMessage[];
  /** The entry agent of the latest run; undefined where there was none. */
  readonly agent: string | undefined;
}

/** Reads back what the entry agent said and heard in all its runs. */
export async function readEntryHistory(transcript: Transcript): Promise<EntryHistory> {
  const messages: ChatMessage[] = [];
  let agent: string | undefined;
  for await (const record of wholeRecords(transcript)) {
    if (record.depth !== 0) continue;
    if (record.type === 'callStart') agent = record.agent;
    const known = record as LogRecord;
    if (isMessageRecord(known)) messages.push(known.message);
  }
  return { messages, agent };
}
