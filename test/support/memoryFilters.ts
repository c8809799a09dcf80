import type { SavedFilters } from '../../src/panel/ports.js';
import type { Criteria, SavedFilter } from '../../src/protocol/criteria.js';

/** Filters under names that are kept in memory. */
export class MemoryFilters implements SavedFilters {
  #filters: SavedFilter[] = [];
  last: Criteria | undefined;

  list(): readonly SavedFilter[] {
    return this.#filters;
  }

  save(filter: SavedFilter): Promise<void> {
    this.#filters = [...this.#filters, filter];
    return Promise.resolve();
  }

  remove(name: string): Promise<void> {
    this.#filters = this.#filters.filter((filter) => filter.name !== name);
    return Promise.resolve();
  }
}
