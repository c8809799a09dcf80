import { IdentityGatherer } from '../../query/numbers/ownership.js';
import { factsOf } from '../../query/numbers/facts.js';
import type { Prices } from '../../core/ports/prices.js';
import type { ReadRecord } from '../../core/ports/transcript.js';
import type { GatheredFacts } from '../../query/language/sessionFacts.js';
import { SessionFactsBuilder } from '../../query/language/sessionFactsBuilder.js';
import { allTextOf } from '../../query/textTest.js';
import { titleOf } from '../../store/catalog/conversationSummary.js';
import type { ConversationPaths } from '../../store/files/storePaths.js';
import { readRecord } from '../../store/format/readRecord.js';
import { refsOf } from '../../store/format/spillTexts.js';
import { firstHeader, JournalLines } from '../../store/read/journalLines.js';
import { readSpilled } from '../../store/read/readSpilled.js';
import { restoreTexts } from '../../store/read/restoredRecords.js';
import { isPlainLine } from '../bytes/rawText.js';
import { messageIn } from '../../query/numbers/transcriptItem.js';
import { isContentOf } from '../stored/contentSearch.js';
import { GramFilterBuilder } from '../stored/columns/gramFilter.js';
import { columnsOf, type SessionColumns } from '../stored/columns/sessionColumns.js';

/** So many lines that are not plain are listed; where there are more, they are found in the bytes each time. */
const MAX_ODD_LINES = 1_000;

/** What one pass over the journal of a session gives. */
export interface ReadSession {
  readonly lines: JournalLines;
  readonly facts: GatheredFacts;
  readonly isOpen: boolean;
  /**
   * What may be kept of it; undefined where asking its journal again may tell more: a line is not written to its end, or a
   * large text is missing. Undefined, too, where nothing is kept.
   */
  readonly columns: SessionColumns | undefined;
}

/** What costs are known by, and a mark of it. */
export interface MarkedPrices {
  readonly prices: Prices;
  readonly mark: string;
}

interface Spilled {
  readonly position: number;
  readonly record: ReadRecord;
}

/**
 * Reads the journal of a session, for all that is kept of it; one that has grown since it was read goes on where it ended.
 */
export class SessionReader {
  /** How many lines were read. */
  linesRead = 0;
  readonly #paths: ConversationPaths;
  readonly #mark: string;
  readonly #lines: JournalLines;
  readonly #builder: SessionFactsBuilder;
  /** Undefined where nothing is kept. */
  readonly #grams: GramFilterBuilder | undefined;
  /** Records with large texts that are elsewhere, of which not all were there. */
  #spilled: Spilled[] = [];
  readonly #odd: number[] = [];
  /** Undefined where nobody else tells of it. */
  #identities: IdentityGatherer | undefined;

  /** `keeps`: whether what is read is to be kept for further questions, which takes time and memory of its own. */
  constructor(
    paths: ConversationPaths,
    { prices, mark }: MarkedPrices,
    keeps: 'columns' | 'nothing' = 'columns',
  ) {
    this.#paths = paths;
    this.#mark = mark;
    this.#lines = new JournalLines(paths);
    this.#builder = new SessionFactsBuilder(prices);
    this.#grams = keeps === 'columns' ? new GramFilterBuilder() : undefined;
  }

  /** Whether nobody else has gone on with its lines, so that it can. */
  get isInStep(): boolean {
    return this.#lines.index.size === this.linesRead;
  }

  /** Reads what it has not read yet. Rejects with errors of the file system, and is of no use afterwards. */
  async read(signal: AbortSignal | undefined): Promise<ReadSession> {
    const lines = this.#lines;
    if (this.linesRead === 0 && this.#grams) {
      const origin = (await firstHeader(this.#paths))?.source;
      this.#identities = origin && new IdentityGatherer(origin);
    }
    await lines.extend((line, position) => this.#add(line, position), signal);
    signal?.throwIfAborted();
    await this.#restore();
    const isWhole = this.#spilled.length === 0 && lines.segments.every(({ rest }) => rest === 0);
    const source = lines.segments.find(({ segment }) => segment === 0)?.header?.source;
    const { title, isOpen } = this.#builder;
    const facts = this.#builder.finish({
      session: this.#paths.id,
      title: titleOf(title, source),
      source: source?.tool,
      project: source?.project,
      toolSession: source?.session,
    });
    if (!isWhole || !this.#grams) return { lines, facts, isOpen, columns: undefined };
    const about = {
      identities: this.#identities?.columns(),
      source: source?.tool ?? null,
      project: source?.project ?? null,
      toolSession: source?.session ?? null,
      isOpen,
      damaged: lines.index.damagedCount,
      prices: this.#mark,
      blocks: this.#grams.blocks(),
      odd: this.#odd.length > MAX_ODD_LINES ? null : [...this.#odd],
    };
    return { lines, facts, isOpen, columns: columnsOf(facts, lines.index, about) };
  }

  #add(line: Buffer, position: number): void {
    this.linesRead++;
    const record = readRecord(line, this.#paths.id, position);
    this.#builder.add(record);
    if (!this.#grams) return;
    this.#identities?.add(record);
    const isOdd = () => !isPlainLine(line) || !isContentOf(line, messageIn(record)?.content);
    if (this.#odd.length <= MAX_ODD_LINES && isOdd()) this.#odd.push(position);
    this.#grams.add(textsOf(record));
    if (refsOf(record).length > 0) this.#spilled.push({ position, record });
  }

  async #restore(): Promise<void> {
    const incomplete: Spilled[] = [];
    for (const each of this.#spilled) {
      const { position, record } = each;
      const { record: whole, missing } = await restoreTexts(record, {
        readSpill: (path) => spill(this.#paths, record, path),
      });
      this.#grams?.addTo(position, [allTextOf(whole)]);
      if (missing.length > 0) incomplete.push(each);
    }
    this.#spilled = incomplete;
  }
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
