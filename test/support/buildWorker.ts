import { sharedPart } from './sharedPart.js';

/** Bundles `src/<source>` as the build does, once for all tests, for those with a real worker; gives where the bundle is. */
export async function buildWorker(source: string): Promise<URL> {
  return new URL(await sharedPart<string>('worker', source));
}
