import type { Log } from '../../core/ports/log.js';
import { ColumnCache } from '../columns/columnCache.js';
import { StoreSource } from './storeSource.js';

/** The most memory that the columns of sessions take that are asked again and again, in bytes. */
const MAX_COLUMN_BYTES = 200_000_000;

/** So much of journals of which nothing is kept is read for a question, in bytes, so that the next ones need not look through them. */
const MAX_AHEAD_BYTES = 4 * 1024 * 1024;

/**
 * The conversations of a store for questions. `asked`: whether anybody asks a session again, for whom what was read of it is held;
 * `keeps`: whether what is read of a session is kept beside its journal, where nothing else is written.
 */
export function openStoreSource(
  root: string,
  log: Log,
  { asked, keeps }: { readonly asked: 'once' | 'often'; readonly keeps: boolean },
): StoreSource {
  const isAskedOnce = asked === 'once';
  const cache = new ColumnCache(isAskedOnce ? 0 : MAX_COLUMN_BYTES);
  return new StoreSource(root, !keeps, {
    log,
    cache,
    isAskedOnce: isAskedOnce && !keeps,
    ahead: keeps ? { bytes: MAX_AHEAD_BYTES } : undefined,
  });
}
