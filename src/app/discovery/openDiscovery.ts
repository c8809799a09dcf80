import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { toolHome } from '../../import/toolHomes.js';
import type { Machine } from '../../import/tools/home.js';
import type { Disposable } from '../../core/event.js';
import { t } from '../../core/l10n.js';
import { messageOf } from '../../core/text.js';
import { SessionCopies, type SessionCopiesOptions } from './sessionCopies.js';
import { SessionDiscovery } from './sessionDiscovery.js';
import type { SearchedFile } from '../../search/files/fileSession.js';

/** How long what was found is believed, in milliseconds: whoever types asks with each key. */
const FRESH_MS = 5_000;

/** The sessions of other tools that a person has allowed to be looked for, as the search asks them. */
export function searchedSessions(
  discovery: () => Promise<Pick<SessionDiscovery, 'look' | 'tools' | 'isLive'>>,
): () => Promise<readonly SearchedFile[]> {
  let lookedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    const found = await discovery();
    const now = Date.now();
    if (now - lookedAt > FRESH_MS) {
      await found.look();
      lookedAt = now;
    }
    return (await found.tools()).flatMap(({ id, sessions }) => {
      const { formats } = toolHome(id);
      return Array.from(sessions.values(), (file) => ({
        path: file.path,
        changed: file.changed,
        isLive: found.isLive(file.path),
        ...(formats && { sources: formats }),
      }));
    });
  };
}

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
    hooks: join(storage, 'hooks'),
    isContained: isContained(),
  };
}

/** Whether this runs in a container, as far as the usual ones tell. */
export function isContained(): boolean {
  return existsSync('/.dockerenv') || existsSync('/run/.containerenv');
}
