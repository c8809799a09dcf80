import { noteTargetOf } from '../../src/query/notes/noteTarget.js';
import type { TranscriptStore } from '../../src/store/transcriptStore.js';

/** Notes something on a message of a stored conversation. */
export async function noteOn(
  store: TranscriptStore,
  conversation: string,
  position: number,
  note: Readonly<{ id: string; text: string; at: number }>,
): Promise<void> {
  const transcript = await store.openTranscript(conversation);
  const [record] = await transcript.read(position, position + 1);
  await transcript.close();
  if (!record) throw new Error('There is no such record.');
  const about = noteTargetOf(record, position, undefined);
  const { id, text, at } = note;
  await store.changeNotes(conversation, [
    { kind: 'set', note: { id, about, text, createdAt: at, changedAt: at } },
  ]);
}
