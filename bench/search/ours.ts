import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { silentLog } from '../../src/core/ports/log.js';
import type { SearchQuestion, SearchUpdate } from '../../src/page/protocol/search.js';
import { SessionSearch } from '../../src/search/sessionSearch.js';
import { longestWork } from '../harness/longestStall.js';

/** How a question was answered; times in milliseconds. */
export interface Answered {
  readonly first: number;
  readonly hundred: number;
  readonly all: number;
  /** The longest time in which the thread that asked could do nothing else, and for which it worked itself. */
  readonly stall: number;
  readonly worked: number;
  readonly rows: number;
  readonly sessions: number;
}

/** Our search over a store, on a thread of its own. `readOnly`: nothing is kept on the disk; `ripgrep`: its path, to find journals. */
export function ourSearch(root: string, readOnly: boolean, ripgrep = ''): SessionSearch {
  const script = pathToFileURL(resolve('dist/workers/search.js'));
  return new SessionSearch({
    script,
    ripgrep,
    log: silentLog,
    stores: () => Promise.resolve([{ root, readOnly }]),
  });
}

/** Asks a question and takes the times. */
export async function timed(
  search: SessionSearch,
  text: string,
  rows: SearchQuestion['rows'] = 'messages',
  until?: 'first hundred',
): Promise<Answered> {
  let [first, hundred, told] = [NaN, NaN, 0];
  let last: SearchUpdate | undefined;
  const stop = new AbortController();
  const start = performance.now();
  const { milliseconds, stall, worked } = await longestWork(async () => {
    const question: SearchQuestion = {
      text,
      rows,
      now: Date.UTC(2026, 10, 1),
      timeZone: 'UTC',
      order: 'newest',
      limits: { sessions: 100, hitsOfSession: 20 },
    };
    for await (const update of search.ask(question, stop.signal)) {
      last = update;
      told += update.groups.reduce((sum, { hits }) => sum + hits.length, 0);
      if (told > 0 && Number.isNaN(first)) first = performance.now() - start;
      if (told >= 100 && Number.isNaN(hundred)) {
        hundred = performance.now() - start;
        if (until) stop.abort();
      }
    }
  });
  if (last?.state !== (stop.signal.aborted ? 'cancelled' : 'done'))
    throw new Error(`${text}: ${last?.state ?? 'nothing'} ${last?.problems[0]?.message ?? ''}`);
  const { rows: found, sessions } = last.totals;
  return { first, hundred, all: milliseconds, stall, worked, rows: found, sessions };
}

/** How many bytes is kept of all sessions; those of how many. */
export function keptBytes(root: string): { readonly bytes: number; readonly sessions: number } {
  const files = filesOf(root).filter((path) => existsSync(path));
  return { bytes: files.reduce((sum, path) => sum + statSync(path).size, 0), sessions: files.length };
}

/** Removes what is kept of all sessions. */
export function removeKept(root: string): void {
  for (const path of filesOf(root)) rmSync(path, { force: true });
}

function filesOf(root: string): string[] {
  const folder = join(root, 'conversations');
  return readdirSync(folder).map((name) => join(folder, name, 'search.bin'));
}
