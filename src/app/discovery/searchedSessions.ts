import type { SearchedFile } from '../../search/files/fileSession.js';
import { isLive, type SessionDiscovery } from './sessionDiscovery.js';

/** How long what was found is believed, in milliseconds: whoever types asks with each key. */
const FRESH_MS = 5_000;

/** The sessions of other tools that a person has allowed to be looked for, as the search asks them. */
export function searchedSessions(
  discovery: () => Promise<Pick<SessionDiscovery, 'look' | 'tools'>>,
): () => Promise<readonly SearchedFile[]> {
  let lookedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    const found = await discovery();
    const now = Date.now();
    if (now - lookedAt > FRESH_MS) {
      await found.look();
      lookedAt = now;
    }
    return (await found.tools()).flatMap(({ sessions }) =>
      Array.from(sessions.values(), (file) => ({
        path: file.path,
        changed: file.changed,
        isLive: isLive(file, now),
      })),
    );
  };
}
