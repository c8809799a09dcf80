import type { Settings } from '../ports/settings.js';
import type { Stores } from './stores.js';
import type { StoredConversation } from '../stores/storedConversation.js';

const MEGABYTE = 1024 * 1024;

/** The conversations that the retention settings would delete, oldest first in each store; never running ones. */
export async function retentionPlan(
  stores: Stores,
  settings: Settings,
): Promise<readonly StoredConversation[]> {
  const maxAgeDays = settings.get('retention.maxAgeDays');
  const megabytes = settings.get('retention.maxMegabytes');
  if (maxAgeDays <= 0 && megabytes <= 0) return [];
  const policy = {
    ...(maxAgeDays > 0 && { maxAgeDays }),
    ...(megabytes > 0 && { maxBytes: megabytes * MEGABYTE }),
  };
  const plans = await Promise.all(
    (await stores.all()).map(async ({ root, store }) =>
      (await store.retention.plan(policy)).map((entry) => ({ store, root, entry })),
    ),
  );
  return plans.flat();
}
