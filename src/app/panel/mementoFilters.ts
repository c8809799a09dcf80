import { t } from '../../core/l10n.js';
import type { Memory } from '../ports/storage.js';
import * as v from 'valibot';
import type { SavedFilters } from '../../panel/ports.js';
import { savedFilter, type SavedFilter } from '../../protocol/criteria.js';

const KEY = 'agentLogbook.savedFilters';
const MAX_FILTERS = 100;

/** Named filters, kept for this person across windows; malformed ones are left out. */
export function mementoFilters(memento: Memory): SavedFilters {
  const list = (): readonly SavedFilter[] => {
    const kept = memento.get(KEY);
    if (!Array.isArray(kept)) return [];
    return kept.flatMap((each: unknown) => {
      const parsed = v.safeParse(savedFilter, each);
      return parsed.success ? [parsed.output] : [];
    });
  };
  const others = (name: string) => list().filter((filter) => filter.name !== name);
  return {
    last: undefined,
    list,
    save: async (filter) => {
      const kept = [...others(filter.name), filter];
      if (kept.length > MAX_FILTERS)
        throw new Error(t`There are ${MAX_FILTERS} saved filters; remove one first.`);
      await memento.update(KEY, kept);
    },
    remove: async (name) => memento.update(KEY, others(name)),
  };
}
