import type { Log } from '../ports/log.js';
import { ColumnCache } from './columns/columnCache.js';
import { StoreSource } from './storeSource.js';

/** The conversations of a store for questions, without anything being written there. */
export function openStoreSource(root: string, log: Log): StoreSource {
  return new StoreSource(root, true, { log, cache: new ColumnCache() });
}
