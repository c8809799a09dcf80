import { join } from 'node:path';
import { ArchiveReadingThread } from '../../archive/archiveReadingThread.js';
import { PassingStore } from '../../capture/passingStore.js';
import type { Log } from '../../core/ports/log.js';
import { PASSING_STORES } from '../../store/write/removeOwnFolder.js';
import type { Settings } from '../ports/settings.js';
import type { Secrets } from '../ports/storage.js';
import { openStore } from '../stores/openStore.js';
import type { OpenStore } from '../stores/storedConversation.js';
import { ArchivedTranscripts } from './archivedTranscripts.js';
import { ArchiveLogins } from './archiveLogin.js';

/** What reading the archive of the settings needs of the window. */
export interface OpenArchivedOptions {
  readonly settings: Pick<Settings, 'get'>;
  readonly secrets: Pick<Secrets, 'get'>;
  /** The application's own folder for all that this person has, absolute. */
  readonly storage: string;
  /** Where what is read is found by its id. */
  readonly stores: { addUnlisted(store: OpenStore, how: { readonly isAsked: boolean }): void };
  readonly log: Log;
}

/** Lists and reads the archive of the settings. Asks it for nothing yet. */
export function openArchived(options: OpenArchivedOptions): ArchivedTranscripts {
  const { settings, secrets, storage, stores, log } = options;
  const passing = new PassingStore({
    folder: join(storage, PASSING_STORES),
    openStore: ({ root, ...rest }) => openStore(root, rest),
    onStore: (store) => stores.addUnlisted(store, { isAsked: false }),
    log,
  });
  return new ArchivedTranscripts({
    logins: new ArchiveLogins(settings, secrets),
    passing,
    log,
    newThread: (events) => new ArchiveReadingThread({ ...events, log }),
  });
}
