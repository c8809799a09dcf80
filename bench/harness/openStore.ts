import type { LogbookStore } from '../../src/store/logbookStore.js';
import { loadLibrary } from './library.js';

/** Opens our store in a folder; what would be told to a person ends the measurement. */
export async function openStore(root: string): Promise<LogbookStore> {
  const { LogbookStore, silentLog } = await loadLibrary();
  return LogbookStore.open({
    root,
    log: silentLog,
    onProblem: ({ title, detail }) => {
      throw new Error(`${title}: ${detail}`);
    },
  });
}
