import type { Transcript } from '../../core/ports/transcript.js';
import type { TranscriptStore } from '../../store/transcriptStore.js';

/** Opens a conversation's transcript for `work`, and closes it when that has settled. */
export async function withTranscript<T>(
  store: TranscriptStore,
  conversation: string,
  work: (transcript: Transcript) => Promise<T>,
): Promise<T> {
  const transcript = await store.openTranscript(conversation);
  try {
    return await work(transcript);
  } finally {
    await transcript.close();
  }
}
