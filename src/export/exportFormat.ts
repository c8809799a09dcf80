import type { KnownOptions } from '../core/checkOptions.js';
import { codedError } from '../core/errorCode.js';
import { EXPORT_FORMATS } from '../core/ports/exportFormats.js';
import type { ExportNote } from './exportNote.js';
import type { Prices } from '../core/ports/prices.js';
import type { SpentAt } from '../query/numbers/spentByRecord.js';
import type { DamagePosition } from '../core/ports/transcript.js';
import type { TokenCounter } from '../core/ports/tokenCounter.js';
import type { SharingGate } from './sharing/sharingGate.js';

export * from '../core/ports/exportFormats.js';

/** The result of an export, besides its text. */
export interface ExportReport {
  /** The number of messages exported. */
  readonly messages: number;
  /** The number of secrets replaced. */
  readonly redacted: number;
  /** The number of secrets that stay, because a person decided that; absent: none. */
  readonly leftIn?: number | undefined;
  /** What stands in the messages but not in the export, by what it is, with how often; absent: nothing. */
  readonly leftOut?: Readonly<Record<string, number>> | undefined;
}

/** How another tool goes on with a session. */
export interface ResumedSession {
  /** Its id, a UUID; absent: one that is made of the conversation's. */
  readonly id?: string | undefined;
  /** The absolute path of the folder in which it goes on. */
  readonly folder: string;
}

/** Lines that edits put into files, and how many of these still stand there. */
export interface LivingLines {
  readonly put: number;
  readonly kept: number;
}

/** The same in words. */
export function keptWords({ put, kept }: LivingLines): string {
  return `kept ${kept} of ${put} ${put === 1 ? 'line' : 'lines'}`;
}

/** How to export. */
export interface ExportOptions {
  /** JSON: spaces per level, 0 for one line; 2 by default. */
  readonly indent?: number | undefined;
  /**
   * JSON: whether each message gets `index`, `token_count` and, for a record, time and place as further fields (named
   * as in the reference implementation and in `dict`); off by default.
   */
  readonly includeMetadata?: boolean | undefined;
  /** CSV: the most code points of content; 500 by default. */
  readonly maxContentLength?: number | undefined;
  /**
   * Whether everything that records hold is exported, and not only their messages: models, times, durations, failures,
   * reasoning, approvals; CSV with further columns and without a cut. Off by default, where exports are those of the
   * reference implementation.
   */
  readonly full?: boolean | undefined;
  /** Whether secrets are replaced; on by default. */
  readonly redact?: boolean | undefined;
  /**
   * What has looked through the whole conversation: numbers what it replaces, and knows what was decided. Absent: every
   * secret is replaced by its kind, without a number.
   */
  readonly gate?: SharingGate | undefined;
  /** Markdown: true where the messages are only part of a conversation, so that no messages do not mean an empty one. */
  readonly isSubset?: boolean | undefined;
  /** Sessions of other tools: how they go on. */
  readonly session?: ResumedSession | undefined;
  /** HTML, and Markdown and JSON in full: the title. */
  readonly title?: string | undefined;
  /** The same: how many of the lines that its edits put into files still stand there. */
  readonly kept?: LivingLines | undefined;
  /** What a person has noted about the items, by their index among those that are given; left out, no notes are exported. */
  readonly notes?: ReadonlyMap<number, readonly ExportNote[]> | undefined;
  /**
   * Full exports: what is wrong in the files that the items were read from and no item tells, in order, each with the index of
   * the item before which it stands, see `damageByItem`; left out, none is told.
   */
  readonly damage?: readonly DamagePosition[] | undefined;
  /** Called once, when the export is complete. */
  readonly onReport?: ((report: ExportReport) => void) | undefined;
  /** Counts the tokens that no provider reported; without one, JSON and CSV count words. */
  readonly tokenCounter?: TokenCounter | undefined;
  /** Full exports: what models cost; without, a cost is known where a source recorded it. */
  readonly prices?: Prices | undefined;
  /**
   * Full exports as JSON and CSV: what each item adds to the cost of all, by its index among those that are given, as
   * `CostShares` tells. Left out, an array is looked through for it, and of what comes bit by bit each message has what its
   * own record tells.
   */
  readonly shares?: SpentAt | undefined;
}

/** What `ExportOptions` may hold. */
export const exportOptionKinds: KnownOptions<ExportOptions> = {
  indent: 'count',
  includeMetadata: 'flag',
  maxContentLength: 'count',
  full: 'flag',
  redact: 'flag',
  gate: 'object',
  isSubset: 'flag',
  session: 'object',
  title: 'text',
  kept: 'object',
  notes: 'object',
  damage: 'list',
  onReport: 'function',
  tokenCounter: 'object',
  prices: 'object',
  shares: 'object',
};

/** Throws an error that names the valid formats where `format` is not one of them. */
export function checkFormat(format: string, valid: readonly string[] = EXPORT_FORMATS): void {
  if (valid.includes(format)) return;
  const message = `Invalid export format: '${format}'. Valid formats: ${valid.join(', ')}`;
  throw codedError(TypeError, message, 'UNKNOWN_VALUE');
}
