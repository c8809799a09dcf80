import fc from 'fast-check';
import { DEFAULT_SEED } from '../../scripts/seed.mjs';

/** What properties and samples are drawn from; `SEED=7` draws others, `SEED=new` others each time (scripts/seed.mjs). */
export const seed = Number(process.env.SEED ?? DEFAULT_SEED);

/** Whether all runs are made, as `npm run test:deep` does. */
export const isDeep = process.env.DEEP === '1';

/** How many of so many runs are made: all in `npm run test:deep`, else a tenth of them, but not fewer than ten. */
export function runs(full: number): number {
  return isDeep ? full : Math.min(full, Math.max(10, Math.ceil(full / 10)));
}

/** So many of a list, spread over it and begun by the seed: where each costs a process, and one mechanism serves them all. */
export function someOf<T>(all: readonly T[], few: number): readonly T[] {
  if (isDeep || all.length <= few) return all;
  return Array.from(
    { length: few },
    (_, at) => all[(seed + Math.floor((at * all.length) / few)) % all.length] as T,
  );
}

/** What must have been met in all runs, as a number for those that are made: `expect(found).toBeGreaterThan(inRuns(500))`. */
export function inRuns(full: number): number {
  return isDeep ? full : full / 10;
}

fc.configureGlobal({ seed, numRuns: runs(100) });
