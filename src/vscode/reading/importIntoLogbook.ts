import type { LogRecord } from '../../core/record.js';
import { newConversationId } from '../../core/ids.js';
import type { ImportedConversation } from '../../import/importResult.js';
import type { LogbookStore } from '../../store/logbookStore.js';
import { Cancelled } from '../userError.js';

/** How many records are handed over before the disk is waited for. */
const BATCH = 2000;

/** Keeps an imported conversation in a store, whole or not at all; gives its id there. */
export async function importIntoLogbook(
  store: LogbookStore,
  imported: ImportedConversation,
  signal: AbortSignal,
): Promise<string> {
  const begun = imported.records[0]?.time ?? 0;
  // A transcript that tells no times is from now.
  const conversation = newConversationId(begun > 0 ? begun : Date.now());
  const journal = await store.createConversation(conversation);
  try {
    let seq = 0;
    const append = (record: object) => {
      journal.append({ ...record, seq: ++seq, conversation } as LogRecord);
    };
    for (const record of imported.records) {
      if (signal.aborted) throw new Cancelled();
      append(record);
      if (seq % BATCH === 0) await journal.flush();
    }
    const last = imported.records.at(-1);
    if (last) append({ ...placeOf(last), id: `${last.id}-title`, type: 'title', title: imported.title });
    const { problem } = await journal.flush();
    if (problem !== undefined) throw new Error(problem);
    await journal.close();
    return conversation;
  } catch (error) {
    await journal.close();
    await store.deleteConversation(conversation);
    throw error;
  }
}

function placeOf({ time, run, call, parentCall, agent, depth }: ImportedConversation['records'][number]) {
  return { time, run, call, ...(parentCall !== undefined && { parentCall }), agent, depth };
}
