import type { TranscriptStore } from '../../src/store/transcriptStore.js';
import { loadLibrary } from './library.js';

/** Opens our store in a folder; what would be told to a person ends the measurement. */
export async function openStore(root: string, seals = true): Promise<TranscriptStore> {
  const { TranscriptStore, silentLog } = await loadLibrary();
  return TranscriptStore.open({
    root,
    log: silentLog,
    seals,
    onProblem: ({ title, detail }) => {
      throw new Error(`${title}: ${detail}`);
    },
  });
}
