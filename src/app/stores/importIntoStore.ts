import type { TranscriptStore } from '../../store/transcriptStore.js';
import type { ImportOutcome, SessionRecords } from '../../store/write/importSession.js';
import { Cancelled } from '../userError.js';

/** A conversation that was read from a file of a tool. */
export interface ReadSession {
  readonly id: string;
  readonly title: string;
  /** The project that its agents worked in; undefined where the file does not say. */
  readonly project: string | undefined;
  readonly records: SessionRecords;
}

/** Stores a conversation that was read from a file of a tool, or updates the one that was made of it before. */
export async function importIntoStore(
  store: TranscriptStore,
  { id, title, project, records }: ReadSession,
  from: { readonly tool: string; readonly path: string },
  signal: AbortSignal,
): Promise<ImportOutcome> {
  try {
    const source = { ...from, session: id, title, ...(project !== undefined && { project }) };
    return await store.importRecords(source, records, signal);
  } catch (error) {
    throw signal.aborted ? new Cancelled() : error;
  }
}
