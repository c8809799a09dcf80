import { pathToFileURL } from 'node:url';
import type * as Library from '../../src/library.js';

/** Loads the library as it is shipped: `dist/library.mjs`, as `run.mjs` has just built it. */
export async function loadLibrary(): Promise<typeof Library> {
  return (await import(pathToFileURL('dist/library.mjs').href)) as typeof Library;
}
