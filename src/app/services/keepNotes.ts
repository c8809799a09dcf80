import type { FileReport } from '../../capture/openedFile.js';
import type { Stores } from './stores.js';

/** Gives the kept copies of the conversations of a file what people have noted on them where they are shown. */
export async function keepNotes(stores: Stores, report: FileReport): Promise<void> {
  const kept = await stores.conversations();
  for (const { session, conversation } of report.conversations) {
    const { store } = await stores.find(conversation);
    const { notes } = await store.notes(conversation);
    const copy = kept.find(
      ({ entry: { origin } }) => origin?.path === report.path && origin.session === session,
    );
    if (!copy || notes.length === 0) continue;
    const changes = notes.map((note) => ({ kind: 'set' as const, note }));
    await copy.store.changeNotes(copy.entry.conversation, changes);
  }
}
