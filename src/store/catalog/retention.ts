import { checkOptions, type KnownOptions } from '../../core/checkOptions.js';
import { messageOf } from '../../core/text.js';
import type { CatalogEntry } from '../../core/ports/transcript.js';

/** What to keep; an absent limit does not apply. */
export interface RetentionPolicy {
  /** Conversations that ended longer ago are deleted. */
  readonly maxAgeDays?: number;
  /** The oldest conversations are deleted until the rest takes no more bytes than this. */
  readonly maxBytes?: number;
}

/** The result of applying a plan. */
export interface RetentionResult {
  readonly deleted: readonly CatalogEntry[];
  readonly failed: readonly { readonly entry: CatalogEntry; readonly why: string }[];
}

/** Deletes old conversations by rules that a person has set; never one that is being written. */
export interface Retention {
  /** Lists what would be deleted, oldest first, without deleting anything. */
  plan(policy: RetentionPolicy): Promise<readonly CatalogEntry[]>;
  /** Deletes the conversations of a plan, which a person must have seen. */
  apply(plan: readonly CatalogEntry[]): Promise<RetentionResult>;
}

const policyKinds: KnownOptions<RetentionPolicy> = { maxAgeDays: 'count', maxBytes: 'count' };

const DAY_MS = 24 * 60 * 60 * 1000;

/** The entries that a policy would delete at the time `now`, oldest first; none that a conversation goes on from which is kept. */
export function planRetention(
  entries: readonly CatalogEntry[],
  policy: RetentionPolicy,
  now: number,
): readonly CatalogEntry[] {
  checkOptions(policy, policyKinds, 'planRetention');
  const { maxAgeDays, maxBytes } = policy;
  const oldestFirst = entries
    .filter(({ state }) => state !== 'running' && state !== 'waiting')
    .sort((a, b) => a.endedAt - b.endedAt);
  let bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
  const old = oldestFirst.filter((entry) => {
    // A conversation without any time cannot be called old.
    const isOld = maxAgeDays !== undefined && entry.endedAt > 0 && now - entry.endedAt > maxAgeDays * DAY_MS;
    const isTooMuch = maxBytes !== undefined && bytes > maxBytes;
    if (!isOld && !isTooMuch) return false;
    bytes -= entry.bytes;
    return true;
  });
  const gone = new Set(old.map(({ conversation }) => conversation));
  // What stands before a conversation that goes on from another is kept there alone; it was written later, so it is asked first.
  for (const { conversation, goesOnFrom } of entries.toSorted((a, b) => b.startedAt - a.startedAt))
    if (goesOnFrom !== undefined && !gone.has(conversation)) gone.delete(goesOnFrom);
  return old.filter(({ conversation }) => gone.has(conversation));
}

/** Deletes the entries of a plan one by one; a failure does not prevent the others. */
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
