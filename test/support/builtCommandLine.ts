import { beforeAll } from 'vitest';
import { sharedPart } from './sharedPart.js';

/** The command line as it is shipped, built once for all tests; gives the path of its one file. */
export function builtCommandLine(): () => string {
  let program = '';
  beforeAll(async () => {
    program = await sharedPart<string>('commandLine');
  }, 120_000);
  return () => program;
}
