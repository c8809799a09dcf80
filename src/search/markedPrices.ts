import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { loadUsablePrices } from '../query/pricing/loadPrices.js';
import type { MarkedPrices } from './columns/readSession.js';

/** What models cost, and a mark that is another where any price may be: the version of the table and the own prices. */
export async function markedPrices(ownPrices: string): Promise<MarkedPrices> {
  const prices = await loadUsablePrices(ownPrices);
  // Prices that cannot be read are none; the version of the others says so.
  const own = ownPrices === '' ? '' : await readFile(ownPrices).catch(() => '');
  const mark = createHash('sha256').update(prices.version).update('\n').update(own).digest('hex');
  return { prices, mark: mark.slice(0, 16) };
}
