import type { SearchGroup, SearchHit } from '../../src/page/protocol/search.js';
import { hitKey, sessionKey, type RowKey, type SearchState } from './searchState.js';

/** A row of the list: a session, a hit in it, or that there are more hits than are listed. */
export type ResultRow =
  | { readonly kind: 'session'; readonly key: RowKey; readonly group: SearchGroup; readonly isOpen: boolean }
  | { readonly kind: 'hit'; readonly key: RowKey; readonly group: SearchGroup; readonly hit: SearchHit }
  | { readonly kind: 'more'; readonly key: RowKey; readonly group: SearchGroup; readonly left: number };

const MORE = 'more';

/** The rows of the list, in their order. A session that is itself the hit has no rows below it. */
export function rowsOf({ groups, collapsed, asked }: SearchState): readonly ResultRow[] {
  return groups.flatMap((group): ResultRow[] => {
    const session = sessionKey(group);
    const isOpen = asked?.rows !== 'sessions' && !collapsed.has(session);
    const head: ResultRow = { kind: 'session', key: { session }, group, isOpen };
    if (!isOpen) return [head];
    const left = group.count - group.hits.length;
    return [
      head,
      ...group.hits.map((hit): ResultRow => ({
        kind: 'hit',
        key: { session, hit: hitKey(hit) },
        group,
        hit,
      })),
      ...(left > 0 ? [{ kind: 'more' as const, key: { session, hit: MORE }, group, left }] : []),
    ];
  });
}

/** The index of a row; -1 where it is not there. */
export function indexOfRow(rows: readonly ResultRow[], key: RowKey | undefined): number {
  return key ? rows.findIndex((row) => isSameRow(row.key, key)) : -1;
}

/** Whether two keys are of the same row. */
export function isSameRow(one: RowKey | undefined, other: RowKey | undefined): boolean {
  return one?.session === other?.session && one?.hit === other?.hit;
}

/** The keys that move through the list. */
export const MOVES = ['ArrowUp', 'ArrowDown', 'Home', 'End', 'PageUp', 'PageDown'] as const;

/** Where a key leads from a row; `page` is how many rows are in sight. -1 in an empty list. */
export function movedTo(
  key: (typeof MOVES)[number],
  from: number,
  { count, page }: { readonly count: number; readonly page: number },
): number {
  const steps = {
    ArrowUp: from < 0 ? 0 : from - 1,
    ArrowDown: from + 1,
    Home: 0,
    End: count - 1,
    PageUp: from - page,
    PageDown: from + page,
  };
  return Math.min(count - 1, Math.max(0, steps[key]));
}

/** The row of the session that a row belongs to. */
export function parentOf(rows: readonly ResultRow[], index: number): number {
  return rows.slice(0, index + 1).findLastIndex(({ kind }) => kind === 'session');
}

/** The next hit after a row, or the one before it (`by` -1), from one end on to the other; -1 where there is none. */
export function nextHit(rows: readonly ResultRow[], from: number, by: 1 | -1): number {
  const isHit = (row: ResultRow | undefined) => row !== undefined && isFound(row);
  for (let step = 1; step <= rows.length; step++) {
    const start = from < 0 && by < 0 ? 0 : from;
    const index = (((start + by * step) % rows.length) + rows.length) % rows.length;
    if (isHit(rows[index])) return index;
  }
  return -1;
}

/** Whether a row is something that was found: a hit, or a session without rows below it that is one itself. */
function isFound(row: ResultRow): boolean {
  return row.kind === 'hit' || (row.kind === 'session' && row.group.hits[0]?.rows === 'sessions');
}

/** The next row from `from` on whose words begin with what was typed, letter case ignored; -1 where there is none. */
export function rowTyped(
  rows: readonly ResultRow[],
  from: number,
  typed: string,
  wordsOf: (row: ResultRow) => readonly string[],
): number {
  const wanted = typed.toLowerCase();
  for (let step = 0; step < rows.length; step++) {
    const index = (Math.max(0, from) + step) % rows.length;
    const row = rows[index];
    if (row && wordsOf(row).some((words) => words.toLowerCase().startsWith(wanted))) return index;
  }
  return -1;
}
