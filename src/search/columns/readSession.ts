import { factsOf } from '../../analysis/facts.js';
import type { Prices } from '../../ports/prices.js';
import type { ReadRecord } from '../../ports/transcript.js';
import { SessionFactsBuilder, type GatheredFacts } from '../../query/language/sessionFacts.js';
import { allTextOf } from '../../query/textTest.js';
import { titleOf } from '../../store/catalog/conversationSummary.js';
import type { ConversationPaths } from '../../store/files/storePaths.js';
import { readRecord } from '../../store/format/readRecord.js';
import { refsOf } from '../../store/format/spillRefs.js';
import { JournalLines } from '../../store/read/journalLines.js';
import { readSpilled } from '../../store/read/readSpilled.js';
import { restoreTexts } from '../../store/read/restoreTexts.js';
import { GramFilterBuilder } from './gramFilter.js';
import { columnsOf, type SessionColumns } from './sessionColumns.js';

/** What one pass over the journal of a session gives. */
export interface ReadSession {
  readonly lines: JournalLines;
  readonly facts: GatheredFacts;
  readonly isOpen: boolean;
  /**
   * What may be kept of it; undefined where asking its journal again may tell more: a line is not written to its end, or a
   * large text is missing.
   */
  readonly columns: SessionColumns | undefined;
}

/** What costs are known by, and a mark of it. */
export interface MarkedPrices {
  readonly prices: Prices;
  readonly mark: string;
}

/** Reads the journal of a session once, for all that is kept of it. Rejects with errors of the file system. */
export async function readSession(
  paths: ConversationPaths,
  { prices, mark }: MarkedPrices,
  signal: AbortSignal | undefined,
): Promise<ReadSession> {
  const lines = new JournalLines(paths);
  const builder = new SessionFactsBuilder(prices);
  const grams = new GramFilterBuilder();
  const spilled: { readonly position: number; readonly record: ReadRecord }[] = [];
  await lines.extend((line, position) => {
    const record = readRecord(line, paths.id, position);
    builder.add(record);
    grams.add(textsOf(record));
    if (refsOf(record).length > 0) spilled.push({ position, record });
  }, signal);
  signal?.throwIfAborted();
  let isWhole = lines.segments.every(({ rest }) => rest === 0);
  for (const { position, record } of spilled) {
    const { record: whole, missing } = await restoreTexts(record, {
      readSpill: (path) => spill(paths, record, path),
    });
    grams.addTo(position, [allTextOf(whole)]);
    isWhole &&= missing.length === 0;
  }
  const source = lines.segments.find(({ segment }) => segment === 0)?.header?.source;
  const { title, isOpen } = builder;
  const facts = builder.finish({
    ...{ session: paths.id, title: titleOf(title, source) },
    ...{ source: source?.tool, project: source?.project },
  });
  const about = {
    ...{ source: source?.tool ?? null, project: source?.project ?? null },
    ...{ isOpen, damaged: lines.index.damagedCount, prices: mark, blocks: grams.blocks() },
  };
  const columns = isWhole ? columnsOf(facts, lines.index, about) : undefined;
  return { lines, facts, isOpen, columns };
}

/** The texts in which a question may find something: those of the record, and the name by which a result calls its tool. */
export function textsOf(record: unknown): readonly string[] {
  const { role, toolName } = factsOf(record);
  const text = allTextOf(record);
  return role === 'tool' && toolName !== '' ? [text, toolName] : [text];
}

async function spill(
  paths: ConversationPaths,
  record: ReadRecord,
  path: string,
): Promise<string | undefined> {
  const ref = refsOf(record).find((each) => each.path === path);
  const read = ref && (await readSpilled(paths, ref));
  return read && 'text' in read ? read.text : undefined;
}
