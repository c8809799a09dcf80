import { checkOptions } from '../../core/checkOptions.js';
import { codedError } from '../../core/errorCode.js';
import { findFolder, UnsafePathError } from '../../node/plainFile.js';
import { silentLog } from '../../core/ports/log.js';
import { storeOptionKinds, type TranscriptStoreOptions } from '../../store/write/storeOptions.js';
import { TranscriptStore } from '../../store/transcriptStore.js';

/** How a program opens a store; everything has a default. */
export type OpenStoreOptions = Partial<Omit<TranscriptStoreOptions, 'root'>>;

/**
 * Opens a folder of conversations, such as `.agent-logbook` of a workspace; the first conversation creates it where it is
 * missing. Problems such as a full disk go to `onProblem`, by default into the log: a run never waits for the disk.
 * Rejects with the code NOT_A_STORE where a file or a link stands in the place of the folder.
 */
export async function openStore(root: string, options: OpenStoreOptions = {}): Promise<TranscriptStore> {
  checkOptions(options, storeOptionKinds, 'openStore');
  try {
    await findFolder(root);
  } catch (error) {
    if (!(error instanceof UnsafePathError)) throw error;
    const message = `${root} is no folder, so no conversations can be kept in it. Name the folder of a store, such as .agent-logbook.`;
    throw codedError(Error, message, 'NOT_A_STORE', error);
  }
  const log = options.log ?? silentLog;
  const onProblem = options.onProblem ?? (({ title, detail }) => log.error(`${title}. ${detail}`));
  return TranscriptStore.open({ ...options, root, log, onProblem });
}
