import { pathToFileURL } from 'node:url';
import type * as Library from '../../src/library.js';
import type * as Parts from '../../src/parts.js';

/** Loads both doors of the library as they are shipped, as `run.mjs` has just built them. */
export async function loadLibrary(): Promise<typeof Library & typeof Parts> {
  const [library, parts] = await Promise.all(
    ['library', 'parts'].map(
      async (door) => (await import(pathToFileURL(`dist/${door}.mjs`).href)) as unknown,
    ),
  );
  return { ...(library as typeof Library), ...(parts as typeof Parts) };
}
