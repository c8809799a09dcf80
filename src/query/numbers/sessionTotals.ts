import { widenSpan, type TimeSpan } from './callTree.js';
import { factsOf } from './facts.js';
import { FilesTouched, type FileTouched } from './filesTouched.js';
import { Quotas, type QuotaReading } from './quotas.js';
import { ToolUse, type ToolSummary } from './toolUse.js';
import { TranscriptReader, type Reading } from './transcriptReader.js';
import { Turns } from './turns.js';
import { UsageTotals, type TranscriptTotals } from './usageTotals.js';
import { WhereItWentWrong, type FirstTrouble } from './whereItWentWrong.js';
import type { RequestCost } from '../../core/cost.js';
import { ToldCost } from '../../core/costTally.js';
import type { NanoDollars } from '../../core/money.js';
import type { Prices } from '../../core/ports/prices.js';
import type { ReadRecord, Transcript } from '../../core/ports/transcript.js';

/** How many records are read at once. */
const PAGE = 500;

/** What one pass over a transcript counts, by the same definitions as every other view. */
export interface SessionTotals {
  readonly statistics: TranscriptTotals;
  readonly tools: readonly ToolSummary[];
  /** Made as they are asked for: there may be a hundred thousand. */
  readonly turns: Pick<Turns, 'length' | 'slice'>;
  /** The files that tool calls name, in the order in which they were first named. */
  readonly files: readonly FileTouched[];
  /** In milliseconds. */
  readonly durationMs: number;
  /** In milliseconds since 1970; 0 where no time is known. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly trouble: FirstTrouble | undefined;
  /** What the tool itself says that it cost, see `ToldCost`. */
  readonly toldCost: NanoDollars | undefined;
  /** How much of its tool's limits was used, see `Quotas`. */
  readonly quotas: readonly QuotaReading[];
}

/** Reads a transcript once, page by page, and hands each reading on. Rejects with the signal's reason. */
export async function readTotals(
  transcript: Pick<Transcript, 'length' | 'read'>,
  prices: Prices,
  signal: AbortSignal,
  onReading?: (reading: Reading, cost: RequestCost | undefined, record: ReadRecord) => void,
): Promise<SessionTotals> {
  const reader = new TranscriptReader();
  const usage = new UsageTotals(prices);
  const tools = new ToolUse();
  const turns = new Turns();
  const files = new FilesTouched();
  const trouble = new WhereItWentWrong();
  const told = new ToldCost();
  const quotas = new Quotas();
  const span: TimeSpan = { startedAt: 0, endedAt: 0 };
  const { length } = transcript;
  for (let from = 0; from < length; from += PAGE) {
    signal.throwIfAborted();
    for (const record of await transcript.read(from, Math.min(from + PAGE, length))) {
      const facts = factsOf(record);
      told.add(record);
      quotas.add(record);
      widenSpan(span, facts);
      const reading = reader.next(facts);
      const cost = usage.add(reading);
      for (const each of [tools, turns, files, trouble]) each.add(reading);
      onReading?.(reading, cost, record);
    }
  }
  const calls = reader.calls.all;
  return {
    statistics: usage.statistics(calls),
    tools: tools.summary(calls),
    turns,
    files: files.summary(),
    durationMs: turns.durationMs,
    ...span,
    trouble: trouble.first,
    toldCost: told.total,
    quotas: quotas.list,
  };
}
