import { makeTokenRanks } from '../../scripts/tokenRanks.mjs';

/** Before all tests: makes the ranks that the build would make, for tests that run from the sources. */
export async function setup(): Promise<void> {
  await makeTokenRanks();
}
