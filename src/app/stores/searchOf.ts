import { SessionSearch } from '../../search/sessionSearch.js';
import type { Stores, StoresHost } from './stores.js';

/** The search over all sessions of some stores: those that the window has when a question is asked. */
export function searchOf(
  stores: Pick<Stores, 'all'>,
  { workspace, settings, log }: Pick<StoresHost, 'workspace' | 'settings' | 'log'>,
): SessionSearch {
  return new SessionSearch({
    stores: async () => {
      // What a person only looks at stays as it is: a folder from elsewhere may hold a trap.
      const readOnly = !workspace.isTrusted;
      return (await stores.all()).map(({ root }) => ({ root, readOnly }));
    },
    ownPrices: () => settings.get('prices.file'),
    log,
  });
}
