import { join } from 'node:path';
import { ArchiveReadingThread } from '../../archive/archiveReadingThread.js';
import { PassingStore } from '../../capture/passingStore.js';
import type { Log } from '../../core/ports/log.js';
import { PASSING_STORES } from '../../store/write/removeOwnFolder.js';
import type { Settings, Secrets } from '../ports/settings.js';
import { openStore } from '../stores/openStore.js';
import type { CatalogEntry } from '../../core/ports/transcript.js';
import type { KeptSessions } from '../../store/notes/keptSessions.js';
import type { OpenStore } from '../stores/storedConversation.js';
import { ArchivedTranscripts } from '../archive/archivedTranscripts.js';
import { ArchiveLogins } from '../archive/archiveLogin.js';

/** The archive of a team: pushing conversations to it, asking, listing and reading it. */
export { searchedArchive } from '../archive/archiveLogin.js';
export { ArchivePushing } from '../archive/archivePushing.js';

export { ArchiveThreads } from '../../archive/archiveThreads.js';

/** What reading the archive of the settings needs of the window. */
interface OpenArchivedOptions {
  readonly settings: Pick<Settings, 'get'>;
  readonly secrets: Pick<Secrets, 'get'>;
  /** The application's own folder for all that this person has, absolute. */
  readonly storage: string;
  /** Where what is read is found by its id. */
  readonly stores: {
    addUnlisted(store: OpenStore, how: { readonly isAsked: boolean }): void;
    kept(): Promise<KeptSessions | undefined>;
    known(conversation: string): CatalogEntry | undefined;
  };
  readonly log: Log;
}

/** Lists and reads the archive of the settings. Asks it for nothing yet. */
export function openArchived(options: OpenArchivedOptions): ArchivedTranscripts {
  const { settings, secrets, storage, stores, log } = options;
  const passing = new PassingStore({
    folder: join(storage, PASSING_STORES),
    openStore: async ({ root, ...rest }) => {
      const kept = await stores.kept();
      return await openStore(root, { ...rest, ...(kept && { kept }) });
    },
    onStore: (store) => stores.addUnlisted(store, { isAsked: false }),
    log,
  });
  return new ArchivedTranscripts({
    logins: new ArchiveLogins(settings, secrets),
    passing,
    originOf: (conversation) => stores.known(conversation)?.origin,
    log,
    newThread: (events) => new ArchiveReadingThread({ ...events, log }),
  });
}
