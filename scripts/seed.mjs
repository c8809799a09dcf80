import { randomInt } from 'node:crypto';

/** The same commit gets the same verdict: where nothing else is said, tests draw the same inputs each time. */
export const DEFAULT_SEED = 20_261;

/**
 * The seed that the variable SEED asks for: a whole number, or `new` for one that nobody has tried.
 * @param {string | undefined} asked
 */
export function seedOf(asked) {
  if (asked === undefined || asked === '') return DEFAULT_SEED;
  if (asked === 'new') return randomInt(1, 2 ** 31);
  const seed = Number(asked);
  if (!Number.isSafeInteger(seed)) throw new Error(`SEED is a whole number or 'new', not '${asked}'.`);
  return seed;
}
