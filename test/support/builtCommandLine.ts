import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'rolldown';
import { afterAll, beforeAll } from 'vitest';
import { cliBundle } from '../../scripts/cliBundle.mjs';

/** The command line as it is shipped, built for all tests of a file in a folder of its own; gives the path of its one file. */
export function builtCommandLine(): () => string {
  let folder = '';
  const program = () => join(folder, 'cli.cjs');
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'logbook-program-'));
    await build(cliBundle({ outfile: program(), production: true }));
  }, 120_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return program;
}
