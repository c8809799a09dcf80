import { silentLog } from '../../core/ports/log.js';
import type { TranscriptStoreOptions } from '../../store/write/storeOptions.js';
import { TranscriptStore } from '../../store/transcriptStore.js';

/** How a program opens a store; everything has a default. */
export type OpenStoreOptions = Partial<Omit<TranscriptStoreOptions, 'root'>>;

/**
 * Opens a folder of conversations, such as `.agent-logbook` of a workspace; the first conversation creates it where it is
 * missing. Problems such as a full disk go to `onProblem`, by default into the log: a run never waits for the disk.
 * Rejects where the folder is no store of ours.
 */
export function openStore(root: string, options: OpenStoreOptions = {}): Promise<TranscriptStore> {
  const log = options.log ?? silentLog;
  const onProblem = options.onProblem ?? (({ title, detail }) => log.error(`${title}. ${detail}`));
  return TranscriptStore.open({ ...options, root, log, onProblem });
}
