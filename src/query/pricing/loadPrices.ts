import { readFile } from 'node:fs/promises';
import { basename, isAbsolute } from 'node:path';
import { calcPrice } from '@pydantic/genai-prices';
import { codedError } from '../../core/errorCode.js';
import { messageOf } from '../../core/text.js';
import type { Prices, PricedRequest } from '../../core/ports/prices.js';
import { parseOwnPrices, type OwnPricesFile, type OwnPrices } from './ownPrices.js';
import { PriceTable } from './priceTable.js';
import { unknownCost, type RequestCost } from '../../core/cost.js';
import { factorOf } from './premiums.js';
import { priceOf, type Price, type TokenRates } from './tokenRates.js';
import { nanos } from '../../core/money.js';

/** The version of the table that is bundled; a test holds it against the lockfile. */
export const TABLE_VERSION = '0.1.8';

/** One for all: it remembers what it has looked up. */
const table = new PriceTable(calcPrice);

/**
 * The bundled table and a person's own prices, as they are in the file at this moment; '' for no file. Nothing is fetched.
 * Rejects with the code UNUSABLE_PRICES where the file cannot be read or says something else than prices.
 */
export async function loadPrices(ownFile = ''): Promise<Prices> {
  const { prices, why } = await ownPricesIn(ownFile);
  if (why !== undefined) throw codedError(Error, `These prices cannot be used: ${why}`, 'UNUSABLE_PRICES');
  return new ModelPrices(table, prices);
}

/**
 * The same for a person's settings, which may name a file that is wrong. Never rejects: where own prices cannot be used the
 * table's count, and the version says why.
 */
export async function loadUsablePrices(ownFile: string): Promise<Prices> {
  const { prices, why } = await ownPricesIn(ownFile);
  return new ModelPrices(table, prices, why);
}

async function ownPricesIn(path: string): Promise<Pick<OwnPricesFile, 'prices'> & { readonly why?: string }> {
  const { prices, problems } = path === '' ? NO_FILE : await readOwnPrices(path);
  const [problem] = problems;
  if (problem) return { why: `${basename(path)}, line ${problem.line}: ${problem.message}` };
  return prices ? { prices } : {};
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

/** Searches of the web and the like cost the same at any terms. */
function times({ amount, besides }: Price, factor: number) {
  return nanos(Math.round((amount - besides) * factor + besides));
}

/** The prices of the bundled table, and before them a person's own. */
class ModelPrices implements Prices {
  readonly version: string;
  readonly #table: PriceTable;
  readonly #own: OwnPrices | undefined;

  /** `problem`: why own prices that there are do not count. */
  constructor(table: PriceTable, own?: OwnPrices, problem?: string) {
    this.#table = table;
    this.#own = own;
    const besides = own
      ? ' and own prices'
      : problem === undefined
        ? ''
        : `; own prices are not used: ${problem}`;
    this.version = `genai-prices ${TABLE_VERSION}${besides}`;
  }

  costOf({ model, time, usage }: PricedRequest): RequestCost {
    if (usage.cost !== undefined) return { provenance: 'exact', amount: usage.cost };
    const { terms = [], inputTokens, requests = 1 } = usage;
    for (const why of ['implausible', 'incomplete', 'mixed'] as const)
      if (terms.includes(why)) return unknownCost(why);
    if (model === '') return unknownCost('model');
    const rates = this.#own?.ratesOf(model, time) ?? this.#table.ratesOf(model, time);
    if (typeof rates === 'string') return unknownCost(rates);
    const price = priceOf(rates, usage);
    if (typeof price === 'string') return unknownCost(price);
    if (rates.window !== undefined && inputTokens > rates.window && requests === 1 && !price.isLong)
      return unknownCost('window');
    const factor = factorOf(terms, { model, time, inputTokens, ...(rates.times && { own: rates.times }) });
    if (!factor) return unknownCost('terms');
    const amount = factor.times === 1 ? price.amount : times(price, factor.times);
    if (amount === undefined) return unknownCost('implausible');
    const row = rowOf(rates, price.isLong, factor.words);
    return { provenance: usage.estimated || !price.isSure ? 'estimated' : 'priced', amount, ...row };
  }

  windowOf(model: string, time: number): number | undefined {
    const rates = this.#table.ratesOf(model, time);
    return typeof rates === 'string' ? undefined : rates.window;
  }
}

/** The rows that were told, each text once: one is told for every request of every transcript. */
const rows = new WeakMap<TokenRates, Map<string, { readonly row: string }>>();

function rowOf(rates: TokenRates, isLong: boolean, factor: string): { readonly row?: string } {
  if (rates.row === undefined) return {};
  const told = rows.get(rates) ?? new Map<string, { readonly row: string }>();
  rows.set(rates, told);
  const key = isLong ? `+${factor}` : factor;
  const known = told.get(key);
  if (known) return known;
  const words = [isLong ? 'long prompt' : '', factor].filter((each) => each !== '').join(', ');
  const made = { row: words === '' ? rates.row : `${rates.row} (${words})` };
  told.set(key, made);
  return made;
}
