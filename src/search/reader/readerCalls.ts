import type { ReadRecord } from '../../core/ports/transcript.js';
import type { PanelTranscript } from '../../page/panel/ports.js';
import type { PanelEvent } from '../../page/protocol/events.js';
import type { CatalogRow } from '../../store/catalog/catalogCache.js';
import type { FolderRow } from '../../store/catalog/readRows.js';
import type { LineSpan } from '../../store/read/lineIndex.js';
import type { LinesState } from '../../store/read/openLines.js';
import type { LiveGrowth } from '../../store/read/liveFeed.js';
import type { SegmentState } from '../../store/read/journalLines.js';
import type { ReadTarget } from '../../store/transcriptStore.js';
import type { ConversationCost } from './conversationCost.js';
import type { ExportMade, ExportWork } from './exportRecords.js';

/** What an open transcript can be asked for: everything but to be closed, which has a call of its own. */
export type TranscriptCall = Exclude<keyof PanelTranscript, 'dispose'>;

/** A conversation whose row is wanted, and the row that is kept of it. */
export interface TargetedRow {
  readonly target: ReadTarget;
  readonly kept: CatalogRow | undefined;
}

/** What the reader, on its own thread, is asked to do. A transcript is named by a number that whoever opens it gives. */
export interface ReaderCalls {
  /**
   * Opens a transcript; with `live`, one that the other side writes. `ownPrices` is the path of a file with own prices, ''
   * for none. Rejects with an error for a person.
   */
  open(
    transcript: number,
    target: ReadTarget,
    live: LiveGrowth | undefined,
    ownPrices: string,
  ): Promise<void>;
  ask(transcript: number, call: TranscriptCall, args: readonly unknown[]): Promise<unknown>;
  /** The other side begins to write the conversation, or has written more of it, or writes it no more. */
  begin(transcript: number, growth: LiveGrowth): void;
  grow(transcript: number, growth: LiveGrowth): void;
  end(transcript: number, growth: LiveGrowth, segments: readonly SegmentState[]): void;
  close(transcript: number): void;
  /** The lines of a conversation's journal; rejects with errors of the file system. */
  lines(target: ReadTarget): Promise<LinesState>;
  /** The record on a line of a conversation, which has the position; rejects with errors of the file system. */
  record(target: ReadTarget, line: LineSpan, position: number): Promise<ReadRecord>;
  /** The row of a conversation in the catalog, from the one that was kept; see `readRow`. */
  row(target: ReadTarget, kept: CatalogRow | undefined): Promise<CatalogRow | undefined>;
  /** The rows of many conversations, from those that were kept, in their order; see `readRows`. */
  rows(wanted: readonly TargetedRow[]): Promise<readonly FolderRow[]>;
  /** What a conversation cost; rejects with errors of the file system. `ownPrices` as with `open`. */
  cost(target: ReadTarget, ownPrices: string): Promise<ConversationCost>;
  /** Exports a conversation of which everything is on the disk; see `ExportsOnThread`. */
  export(job: number, target: ReadTarget, work: ExportWork): Promise<ExportMade>;
  cancelExport(job: number): void;
}

/** What the reader asks of the thread that started it. */
export interface ReaderHostCalls {
  /** Sends an event to the page of a transcript; resolves when the page's side has taken it. */
  send(transcript: number, event: PanelEvent): Promise<void>;
  /** How many of all records an export has read: 0 once its transcript is open. */
  exportProgress(job: number, read: number, all: number): void;
}
