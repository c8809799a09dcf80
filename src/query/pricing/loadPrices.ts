import { readFile } from 'node:fs/promises';
import { basename, isAbsolute } from 'node:path';
import { calcPrice } from '@pydantic/genai-prices';
import { messageOf } from '../../core/text.js';
import type { Prices } from '../../core/ports/prices.js';
import { ModelPrices } from './modelPrices.js';
import { parseOwnPrices, type OwnPricesFile } from './ownPrices.js';
import { PriceTable } from './priceTable.js';

/** One for all: it remembers what it has looked up. */
const table = new PriceTable(calcPrice);

/**
 * The bundled table and a person's own prices, as they are in the file at this moment; '' for no file. Nothing
 * is fetched. Never rejects: where own prices cannot be used the table's count, and the version says why.
 */
export async function loadPrices(ownFile = ''): Promise<Prices> {
  const { prices, problems } = ownFile === '' ? NO_FILE : await readOwnPrices(ownFile);
  const [problem] = problems;
  const why = problem && `${basename(ownFile)}, line ${problem.line}: ${problem.message}`;
  return new ModelPrices(table, prices, why);
}

const NO_FILE: Partial<Pick<OwnPricesFile, 'prices'>> & Pick<OwnPricesFile, 'problems'> = { problems: [] };

async function readOwnPrices(path: string): Promise<OwnPricesFile> {
  try {
    if (!isAbsolute(path)) throw new Error('its path must be absolute.');
    return parseOwnPrices(await readFile(path, 'utf8'), basename(path));
  } catch (error) {
    return { problems: [{ line: 1, message: `The file cannot be read: ${messageOf(error)}` }] };
  }
}
