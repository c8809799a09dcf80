import { CostSum } from '../../query/numbers/costSum.js';
import { explainCost, formatCost, isKnownCost, type Cost } from '../../core/cost.js';
import type { Log } from '../../core/ports/log.js';
import type { Prices } from '../../core/ports/prices.js';
import { pathsOf } from '../../store/files/storePaths.js';
import { FactReader } from '../../store/read/factReader.js';
import { SharedSource } from '../../store/read/sharedSource.js';
import { readSource } from '../../store/read/sourceTable.js';
import type { ReadTarget } from '../../store/transcriptStore.js';

/** How many facts are read at once. */
const BATCH = 5_000;

/** Of so many calls of agents the cost of each is told. */
const MAX_CALLS = 500;

/** A cost in words: in short, '' where nothing of it is known; and what it is made of, '' for no requests. */
export interface CostWords {
  readonly short: string;
  readonly explained: string;
}

/** What a conversation cost, for lists of conversations. Plain data. */
export interface ConversationCost extends CostWords {
  /** What each call of an agent cost with those below it, by its id. */
  readonly calls: ReadonlyMap<string, CostWords>;
}

/** What a conversation cost, from the facts beside its journal. Rejects where it cannot be read. */
export async function conversationCost(
  { root, id, name, readOnly }: ReadTarget,
  prices: Prices,
  log: Log,
): Promise<ConversationCost> {
  const paths = pathsOf(root, id, name);
  const source = new SharedSource(await readSource(paths, log, readOnly), log);
  try {
    const facts = new FactReader({ paths, source, log, readOnly });
    const sum = new CostSum(prices);
    for (let start = 0; start < source.length; start += BATCH)
      for (const each of await facts.read(start, Math.min(start + BATCH, source.length))) sum.addFacts(each);
    const calls = [...sum.wholeByCall].slice(0, MAX_CALLS);
    const inWords = (cost: Cost) => costWords(cost, prices);
    return { ...inWords(sum.total), calls: new Map(calls.map(([id, cost]) => [id, inWords(cost)])) };
  } finally {
    source.dispose();
  }
}

function costWords(cost: Cost, { version }: Prices): CostWords {
  return { short: isKnownCost(cost) ? formatCost(cost) : '', explained: explainCost(cost, version) };
}
