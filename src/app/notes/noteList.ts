import { messageOf } from '../../core/text.js';
import type { Note } from '../../core/note.js';
import type { CatalogEntry } from '../../core/ports/transcript.js';
import type { Log } from '../../core/ports/log.js';
import type { KeptSessions } from '../../store/notes/keptSessions.js';
import { keyOfConversation, sessionKey, type SessionKey } from '../../core/sessionKey.js';
import { KEPT } from './noteBook.js';
import type { OpenStore } from '../stores/storedConversation.js';

/** A conversation with notes, or a session of another tool that is in no store. */
export interface NotedConversation {
  /** Its id; of a session that is in no store, what `keptIn` understands. */
  readonly conversation: string;
  readonly title: string;
  /** Present for a conversation of a store. */
  readonly entry?: CatalogEntry;
  /** Where a session that is in no store is read. */
  readonly found?: SessionKey & { readonly path: string };
  /** In the order of what they are about. */
  readonly notes: readonly Note[];
  /** How many lines of their file could not be read, and why all of it could not be, where it could not. */
  readonly damaged: number;
  readonly problem: string | undefined;
}

/**
 * All notes of all stores, the conversations whose notes changed last first. Of the versions of a session that was imported
 * again, each note is listed once, with the newest version that has it.
 */
export async function listNotes(
  stores: {
    readonly all: () => Promise<readonly OpenStore[]>;
    readonly kept?: () => Promise<Pick<KeptSessions, 'all'> | undefined>;
  },
  log: Log,
): Promise<NotedConversation[]> {
  const noted: NotedConversation[] = [];
  for (const { store } of await stores.all()) {
    for (const id of await store.noted()) {
      const entry = store.catalog.find(id);
      if (!entry) continue;
      try {
        const { notes, damaged, newer } = await store.notes(id);
        const told = { notes: inOrder(notes), damaged: damaged.length + newer, problem: undefined };
        noted.push({ conversation: id, title: entry.title, entry, ...told });
      } catch (error) {
        log.warn(`The notes of ${id} cannot be read`, error);
        const told = { notes: [], damaged: 0, problem: messageOf(error) };
        noted.push({ conversation: id, title: entry.title, entry, ...told });
      }
    }
  }
  const inStores = new Set(
    noted.map(({ conversation, entry }) => sessionKey(keyOfConversation(conversation, entry?.origin))),
  );
  for (const session of (await (await stores.kept?.())?.all()) ?? []) {
    const { title, path, tool, notes } = session;
    if (notes.length === 0 || inStores.has(sessionKey(session))) continue;
    const found = { tool, session: session.session, path };
    const told = { notes: inOrder(notes), damaged: 0, problem: undefined };
    noted.push({ conversation: KEPT + sessionKey(session), title, found, ...told });
  }
  return onceEach(noted)
    .filter(({ notes, damaged, problem }) => notes.length > 0 || damaged > 0 || problem !== undefined)
    .sort((a, b) => latest(b) - latest(a));
}

function inOrder(notes: readonly Note[]): Note[] {
  return [...notes].sort((a, b) => a.about.position - b.about.position || a.createdAt - b.createdAt);
}

function latest({ notes }: NotedConversation): number {
  return notes.reduce((last, { changedAt }) => Math.max(last, changedAt), 0);
}

function onceEach(noted: readonly NotedConversation[]): NotedConversation[] {
  const seen = new Set<string>();
  const version = ({ entry }: NotedConversation) => entry?.origin?.version ?? 1;
  return [...noted]
    .sort((a, b) => version(b) - version(a))
    .map((each) => {
      const origin = each.entry?.origin;
      if (!origin) return each;
      const keyOf = ({ id }: Note) => JSON.stringify([origin.tool, origin.session, id]);
      const notes = each.notes.filter((note) => !seen.has(keyOf(note)));
      for (const note of notes) seen.add(keyOf(note));
      return { ...each, notes };
    });
}
