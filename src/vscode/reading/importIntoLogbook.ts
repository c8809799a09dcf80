import type { LogRecord } from '../../core/record.js';
import { newConversationId } from '../../core/ids.js';
import type { ImportedConversation } from '../../import/importResult.js';
import type { TranscriptStore } from '../../store/transcriptStore.js';
import { Cancelled } from '../userError.js';

/** Stores an imported conversation, completely or not at all; gives its id there. */
export async function importIntoLogbook(
  store: TranscriptStore,
  imported: ImportedConversation,
  signal: AbortSignal,
): Promise<string> {
  const begun = imported.records[0]?.time ?? 0;
  // A transcript without times gets the current one.
  const conversation = newConversationId(begun > 0 ? begun : Date.now());
  try {
    await store.importConversation(conversation, recordsOf(imported, conversation), signal);
  } catch (error) {
    throw signal.aborted ? new Cancelled() : error;
  }
  return conversation;
}

function* recordsOf({ records, title }: ImportedConversation, conversation: string): Generator<LogRecord> {
  let seq = 0;
  const numbered = (record: object) => ({ ...record, seq: ++seq, conversation }) as LogRecord;
  for (const record of records) yield numbered(record);
  const last = records.at(-1);
  if (last) yield numbered({ ...placeOf(last), id: `${last.id}-title`, type: 'title', title });
}

function placeOf({ time, run, call, parentCall, agent, depth }: ImportedConversation['records'][number]) {
  return { time, run, call, ...(parentCall !== undefined && { parentCall }), agent, depth };
}
