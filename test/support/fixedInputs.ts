import fc from 'fast-check';

/**
 * The same commit gets the same verdict: properties draw the same inputs each time. `SEED=7` draws others,
 * and `SEED=new` others each time.
 */
const seed = process.env.SEED ?? '20261';
if (seed !== 'new') fc.configureGlobal({ seed: Number(seed) });
