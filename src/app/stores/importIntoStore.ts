import type { ImportedConversation } from '../../import/importResult.js';
import { projectOf } from '../../import/projectOf.js';
import type { TranscriptStore } from '../../store/transcriptStore.js';
import type { ImportOutcome } from '../../store/write/importSession.js';
import { Cancelled } from '../userError.js';

/** Stores a conversation that was read from a file of a tool, or updates the one that was made of it before. */
export async function importIntoStore(
  store: TranscriptStore,
  { id, title, records }: ImportedConversation,
  from: { readonly tool: string; readonly path: string },
  signal: AbortSignal,
): Promise<ImportOutcome> {
  try {
    const project = projectOf(records);
    const source = { ...from, session: id, title, ...(project !== undefined && { project }) };
    return await store.importSession({ source, records }, signal);
  } catch (error) {
    throw signal.aborted ? new Cancelled() : error;
  }
}
