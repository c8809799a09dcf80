import type { Log } from '../../core/ports/log.js';
import { ColumnCache } from '../columns/columnCache.js';
import { StoreSource } from './storeSource.js';

/** The most memory that the columns of sessions take that are asked again and again, in bytes. */
const MAX_COLUMN_BYTES = 200_000_000;

/**
 * The conversations of a store for questions, without anything being written there. `asked`: whether anybody asks a session
 * again, for whom what was read of it is held.
 */
export function openStoreSource(root: string, log: Log, asked: 'once' | 'often'): StoreSource {
  const isAskedOnce = asked === 'once';
  const cache = new ColumnCache(isAskedOnce ? 0 : MAX_COLUMN_BYTES);
  return new StoreSource(root, true, { log, cache, isAskedOnce });
}
