import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { calcPrice } from '@pydantic/genai-prices';
import { messageOf } from '../core/text.js';
import type { Prices } from '../ports/prices.js';
import { ModelPrices } from './modelPrices.js';
import { parseOwnPrices, type OwnPrices } from './ownPrices.js';
import { PriceTable } from './priceTable.js';

/** What prices are loaded from. */
export interface PriceSources {
  /** The absolute path of a file with own prices; '' for none. */
  readonly ownFile: string;
  /** Told, in a sentence for a person, why own prices do not count. */
  readonly onProblem: (words: string) => void;
}

/**
 * Loads the bundled table and a person's own prices. Nothing is fetched. Never rejects: own prices that cannot be read
 * are told of, and the table's count.
 */
export async function loadPrices({ ownFile, onProblem }: PriceSources): Promise<Prices> {
  const own = ownFile === '' ? undefined : await readOwnPrices(ownFile, onProblem);
  return new ModelPrices(new PriceTable(calcPrice), own);
}

async function readOwnPrices(
  path: string,
  onProblem: PriceSources['onProblem'],
): Promise<OwnPrices | undefined> {
  const name = basename(path);
  try {
    const { prices, problems } = parseOwnPrices(await readFile(path, 'utf8'), name);
    for (const { line, message } of problems) onProblem(`${name}, line ${line}: ${message}`);
    return prices;
  } catch (error) {
    onProblem(`The prices in ${name} cannot be read: ${messageOf(error)}`);
    return undefined;
  }
}
