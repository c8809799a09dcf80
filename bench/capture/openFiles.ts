import { pathToFileURL } from 'node:url';
import { openStore } from '../../src/app/stores/openStore.js';
import { OpenedFiles } from '../../src/capture/openedFiles.js';
import { silentLog } from '../../src/core/ports/log.js';
import type { TranscriptStore } from '../../src/store/transcriptStore.js';

/** Files that are shown where they are, as the editor opens them: read on the thread that is shipped. */
export function openFiles(folder: string) {
  let opened: TranscriptStore | undefined;
  const files = new OpenedFiles({
    folder,
    openStore: ({ root, ...options }) => openStore(root, options),
    onStore: ({ store }) => {
      opened = store;
    },
    log: silentLog,
    script: pathToFileURL('dist/workers/import.js'),
  });
  const store = () => {
    if (!opened) throw new Error('Nothing was opened.');
    return opened;
  };
  return { files, store };
}
