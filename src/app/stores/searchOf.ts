import { SessionSearch } from '../../search/sessionSearch.js';
import type { Log } from '../../ports/log.js';
import type { Host } from '../ports/host.js';

/** What the search needs of the window. */
interface OfWindow {
  readonly workspace: Pick<Host['workspace'], 'isTrusted'>;
  readonly settings: Pick<Host['settings'], 'get'>;
  readonly log: Log;
}

/** The search over all sessions of some stores: those that the window has when a question is asked. */
export function searchOf(
  stores: { all(): Promise<readonly { readonly root: string }[]> },
  { workspace, settings, log }: OfWindow,
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
