import { readFileSync } from 'node:fs';
import type { Encoding } from '../../src/query/tokens/encodingForModel.js';

/** The content of an encoding's ranks file, as the global setup has made it. */
export function readTokenRanks(encoding: Encoding): ArrayBuffer {
  const file = new URL(`../../out/tokens/${encoding}.ranks`, import.meta.url);
  return new Uint8Array(readFileSync(file)).buffer;
}
