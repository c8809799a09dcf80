import type { LivingLines } from './exportFormat.js';
import type { CostSum } from '../query/numbers/costSum.js';
import type { Cost } from '../core/cost.js';
import type { Spent } from '../query/numbers/spentByRecord.js';
import type { UntypedMessage } from '../query/numbers/transcriptItem.js';
import type { ContextSection } from './contextSection.js';
import type { ExportNote } from './exportNote.js';
import type { ExportRow } from './exportRow.js';

/** What stands at the end of a full export, where there is any of it and the format has a place for it. */
export interface Ending {
  /** What the conversation is called, where that is known. */
  readonly title?: string | undefined;
  /** How many of the lines that its edits put into files still stand there. */
  readonly kept?: LivingLines | undefined;
  /** What filled the windows of agents. */
  readonly context?: ContextSection | undefined;
  /** What all of it cost, where there were requests and anything is known of money. */
  readonly cost?: Pick<CostSum, 'total' | 'version'> | undefined;
}

/** Writes one export: `add` gives the text for the next row, `end` the rest, with an ending where
 * the format has a place for it. The joined texts are the export. */
export interface TextWriter {
  add(row: ExportRow): string;
  /**
   * The text for a record that carries no message, in a full export, for what a person has noted about it, and what it
   * cost; `counts`: what it adds to the sums of all, where that is told of each item. Undefined where the format has no place for it.
   */
  note?(
    record: UntypedMessage,
    notes: readonly ExportNote[],
    cost: Cost | undefined,
    counts?: Spent,
  ): string | undefined;
  end(ending?: Ending): string;
}

/** Counts what stands in the messages and not in the export. */
export type LeaveOut = (what: string) => void;
