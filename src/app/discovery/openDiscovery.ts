import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Machine } from '../../import/tools/home.js';
import type { Disposable } from '../../core/event.js';
import { t } from '../../core/l10n.js';
import { messageOf } from '../../core/text.js';
import { searchedSessions } from './searchedSessions.js';
import { SessionCopies, type SessionCopiesOptions } from './sessionCopies.js';
import { SessionDiscovery } from './sessionDiscovery.js';

/** Finding the sessions of other tools on this machine, and copying them. */
export interface OpenDiscovery extends Disposable {
  readonly discovery: SessionDiscovery;
  /** Those that questions to all sessions are asked of, too. */
  readonly searched: ReturnType<typeof searchedSessions>;
  /** Copies what is new of them. Never rejects: what goes wrong is logged. */
  copy(): Promise<void>;
}

/** Opens what finds sessions on the machine that this runs on. */
export function openDiscovery(parts: Omit<SessionCopiesOptions, 'discovery' | 'now'>): OpenDiscovery {
  const { storage, settings, log } = parts;
  const discovery = new SessionDiscovery({ machine: machineOf(storage), storage, settings, log });
  const copies = new SessionCopies({ ...parts, discovery });
  const stop = new AbortController();
  let copying: Promise<void> | undefined;
  const copy = async () => {
    try {
      await copies.copy(stop.signal);
    } catch (error) {
      if (!stop.signal.aborted) log.warn(`Sessions of other tools were not copied: ${messageOf(error)}`);
    }
    copying = undefined;
  };
  return {
    discovery,
    searched: searchedSessions(() => Promise.resolve(discovery)),
    copy: () => (copying ??= copy()),
    dispose() {
      stop.abort(new Error(t`The window closes.`));
      discovery.dispose();
    },
  };
}

/** This machine; an editor keeps the application's own folder in that of its user data. */
function machineOf(storage: string): Machine {
  const { env, platform } = process;
  return {
    home: homedir(),
    platform,
    env: { ...env },
    editorData: dirname(dirname(storage)),
    recordings: join(storage, 'recordings'),
  };
}
