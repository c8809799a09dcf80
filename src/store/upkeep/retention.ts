import { messageOf } from '../../core/text.js';
import type { CatalogEntry } from '../../ports/transcript.js';

/** What to keep; what is absent does not limit. */
export interface RetentionPolicy {
  /** Conversations that ended longer ago are deleted. */
  readonly maxAgeDays?: number;
  /** The oldest conversations are deleted until the rest needs no more bytes. */
  readonly maxBytes?: number;
}

/** What came of a plan. */
export interface RetentionResult {
  readonly deleted: readonly CatalogEntry[];
  readonly failed: readonly { readonly entry: CatalogEntry; readonly why: string }[];
}

/** Old conversations, deleted by rules that a person has set; never one that is being written. */
export interface Retention {
  /** What would be deleted, the oldest first; nothing is. */
  plan(policy: RetentionPolicy): Promise<readonly CatalogEntry[]>;
  /** Deletes what a plan names, once a person has seen it. */
  apply(plan: readonly CatalogEntry[]): Promise<RetentionResult>;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** The entries that a policy would have deleted at the time `now`, the oldest first. */
export function planRetention(
  entries: readonly CatalogEntry[],
  { maxAgeDays, maxBytes }: RetentionPolicy,
  now: number,
): readonly CatalogEntry[] {
  const oldestFirst = entries
    .filter(({ state }) => state !== 'running' && state !== 'waiting')
    .sort((a, b) => a.endedAt - b.endedAt);
  let bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
  return oldestFirst.filter((entry) => {
    // A conversation without any time cannot be said to be old.
    const isOld = maxAgeDays !== undefined && entry.endedAt > 0 && now - entry.endedAt > maxAgeDays * DAY_MS;
    const isTooMuch = maxBytes !== undefined && bytes > maxBytes;
    if (!isOld && !isTooMuch) return false;
    bytes -= entry.bytes;
    return true;
  });
}

/** Deletes the entries of a plan one by one; one that fails does not keep the others. */
export async function applyRetention(
  plan: readonly CatalogEntry[],
  remove: (conversation: string) => Promise<void>,
): Promise<RetentionResult> {
  const deleted: CatalogEntry[] = [];
  const failed: { entry: CatalogEntry; why: string }[] = [];
  for (const entry of plan) {
    try {
      await remove(entry.conversation);
      deleted.push(entry);
    } catch (error) {
      failed.push({ entry, why: messageOf(error) });
    }
  }
  return { deleted, failed };
}
