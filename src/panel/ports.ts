import type { Event } from '../core/event.js';
import type { ApprovalAnswer, ApprovalPrompt } from '../ports/approvals.js';
import type { ExportFormat } from '../ports/exportFormats.js';
import type { ReadRecord, Transcript } from '../ports/transcript.js';
import type { Criteria, SavedFilter } from '../protocol/criteria.js';
import type { LiveState } from '../protocol/panelState.js';

/** Runs of agents as a transcript's panel sees them. A conversation without a run is simply not running. */
export interface LiveRuns {
  /** Fired with the conversation whose state or waiting approvals changed. */
  readonly onDidChangeState: Event<string>;
  stateOf(conversation: string): LiveState;
  stop(conversation: string): void;
  /** Begins a new run; rejects with words for a person when it cannot. */
  continueConversation(conversation: string, text: string): Promise<void>;
  pendingApprovals(conversation: string): readonly ApprovalPrompt[];
  /** Whether the prompt was still waiting. */
  answerApproval(id: string, answer: ApprovalAnswer): boolean;
}

/** Some of a scan's result: positions of matching records, ascending over the whole scan. */
export interface ScanBatch {
  readonly positions: Uint32Array;
  /** Records looked at so far. */
  readonly scanned: number;
}

/**
 * Looks through a conversation off the host's main thread, from the record at `from` as far as it is written when
 * the scan begins. Ends early when the signal is aborted. Rejects with words for a person where the criteria cannot
 * be used. A scanner that cannot begin in the middle may begin at 0: what lies before `from` is left out.
 */
export type Scan = (
  conversation: string,
  criteria: Criteria,
  signal: AbortSignal,
  from: number,
) => AsyncIterable<ScanBatch>;

/** A record with a message, and the tokens of the message as they were counted. */
export interface CountedRecord {
  readonly record: ReadRecord;
  readonly tokens: number;
}

/**
 * Counts the messages of a transcript's records from `start` up to, not including, `end`, whole and off the host's
 * main thread. Rejects where that is not possible or the signal is aborted.
 */
export type CountTokens = (
  transcript: Transcript,
  start: number,
  end: number,
  signal: AbortSignal,
) => Promise<readonly CountedRecord[]>;

/** Where an export goes. */
export type ExportTarget = 'editor' | 'file' | 'clipboard';

/** Writes a conversation, or the records at `positions` alone; rejects with words for a person. */
export type ExportTranscript = (
  conversation: string,
  format: ExportFormat,
  positions: readonly number[] | undefined,
  target: ExportTarget,
) => Promise<void>;

/** Filters under names, shared by all panels and kept from window to window. */
export interface SavedFilters {
  /** What was filtered by last, in whatever panel, so that another can go on with it. */
  last: Criteria | undefined;
  list(): readonly SavedFilter[];
  save(filter: SavedFilter): Promise<void>;
  remove(name: string): Promise<void>;
}

/** A text that had waited for its turn and could not be said. */
export interface ReturnedText {
  readonly conversation: string;
  readonly text: string;
}

/** What was typed into the chat boxes and is not said yet, kept from page to page and from window to window. */
export interface Drafts {
  /** Fired where a text belongs into the box again, below what stands there. */
  readonly onDidReturn: Event<ReturnedText>;
  /** Never rejects. */
  draftOf(conversation: string): Promise<string>;
  /** Never rejects. */
  keep(conversation: string, draft: string): Promise<void>;
}

/** What a page may have done outside of itself; each rejects with words for a person. */
export interface PanelActions {
  copy(text: string): Promise<void>;
  /** Shows a text in an editor that is not bound to a file; `language` as VS Code names it. */
  showText(text: string, language: string): Promise<void>;
  /** Opens a file that a record names, if it lies in the workspace. `line` counts from 1. */
  openFile(path: string, line: number | undefined): Promise<void>;
  /** Shows the whole address and opens it in the browser if the person agrees; `url` is http or https. */
  openLink(url: string): Promise<void>;
}
