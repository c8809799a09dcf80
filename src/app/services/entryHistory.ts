import type { ChatMessage } from '../../core/message.js';
import { isMessageRecord, type LogRecord } from '../../core/record.js';
import type { Transcript } from '../../core/ports/transcript.js';
import { features } from '../features/features.js';

/** The history of a recorded conversation's entry agent, from which the conversation continues. */
export interface EntryHistory {
  /** The messages of all its runs. */
  readonly messages: readonly ChatMessage[];
  /** The name of the latest run's entry agent; undefined without a run. */
  readonly agent: string | undefined;
}

/** Reads the entry agent's messages of all runs. */
export async function readEntryHistory(transcript: Transcript): Promise<EntryHistory> {
  const { restoredRecords } = await features.transcripts();
  const messages: ChatMessage[] = [];
  let agent: string | undefined;
  for await (const record of restoredRecords(transcript)) {
    if (record.depth !== 0) continue;
    if (record.type === 'callStart') agent = record.agent;
    const known = record as LogRecord;
    if (isMessageRecord(known)) messages.push(known.message);
  }
  return { messages, agent };
}
