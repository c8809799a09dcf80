import type { Note, NoteTarget } from '../../core/note.js';
import type { Event } from '../../core/event.js';
import type { ApprovalAnswer, ApprovalPrompt } from '../../core/ports/approvals.js';
import type { SavedFormat } from '../../core/ports/exportFormats.js';
import type { FailureWay } from '../../core/ports/failureWays.js';
import type { ReadRecord, ScanBatch, Transcript } from '../../core/ports/transcript.js';
import type { ScanQuestion } from '../../query/columns/scanQuestion.js';
import type { DeedEdit } from '../../query/numbers/deed.js';
import type { Question } from '../../query/language/question.js';
import type { SessionInfo } from '../../query/language/sessionFacts.js';
import type { KnownQuestions, QuestionScope, SavedQuestion } from '../protocol/question.js';
import type { LiveState, Provenance, Snapshot } from '../protocol/panelState.js';
import type { Answer, Delivered, Params, RequestName } from '../protocol/requests.js';
import type { RowField } from '../protocol/row.js';

/** The message that an agent is writing, as far as it has come: it may yet be void. */
export interface LiveText {
  /** The id of the agent's call. */
  readonly call: string;
  readonly agent: string;
  readonly depth: number;
  /** The end of what it has said, and of what it has thought. */
  readonly text: string;
  readonly reasoning: string;
  /** Whether more was said before the beginning of `text`. */
  readonly isCut: boolean;
}

/** What is known of a conversation besides its records: they change while it runs. */
export interface LiveTranscript {
  readonly state: LiveState;
  readonly title: string;
  /** The tool that recorded it, as its importer names it, what that calls it, and the project that it worked in; where these are known. */
  readonly origin?: (Pick<SessionInfo, 'toolSession' | 'project'> & { readonly source: string }) | undefined;
  /** What its agents are writing. */
  readonly texts: readonly LiveText[];
}

/** The requests of a page that its transcript alone answers. */
export const TRANSCRIPT_REQUESTS = [
  'rows',
  'expand',
  'expandAll',
  'showRaw',
  'text',
  'ask',
  'occurring',
  'reveal',
  'statistics',
  'tools',
  'approvals',
  'timeline',
  'context',
  'dropped',
  'quote',
  'leave',
  'turns',
  'next',
] as const satisfies readonly RequestName[];
/** See `TRANSCRIPT_REQUESTS`. */
export type TranscriptRequest = (typeof TRANSCRIPT_REQUESTS)[number];

/** What a page that begins is given of its transcript. */
export type TranscriptStart = Pick<
  Snapshot,
  'list' | 'facts' | 'facets' | 'damaged' | 'damagedTotal' | 'expandedAll' | 'at'
> &
  Pick<Provenance, 'details'>;

/** A file that a row names; `line` counts from 1. */
export interface NamedFile {
  readonly path: string;
  readonly line: number | undefined;
}

/**
 * The side of a panel that reads, analyses and filters a transcript. In an editor it works beside the editor's thread:
 * everything that goes in and out is a message.
 */
export interface PanelTranscript {
  /** Reads what the page shows first; the page gets events after `follow`. */
  begin(params: Params<'ready'>, live: LiveTranscript): Promise<TranscriptStart>;
  /** Sends changes to the page that began last, from what is known now on. */
  follow(live: LiveTranscript): Promise<void>;
  /** To be called when the page is hidden: nothing is read, searched or sent until the next one begins. */
  hide(): void;
  /** To be called when what is known besides the records has changed. */
  setLive(live: LiveTranscript): Promise<void>;
  ask<N extends TranscriptRequest>(name: N, params: Params<N>): Promise<Answer<N>>;
  /** The whole text of a row; rejects, like the next two, with an error for a person. */
  copyOf(row: number, as: 'text' | 'markdown'): Promise<string>;
  textOf(row: number, field: RowField, part: number | undefined): Promise<string>;
  fileOf(row: number, file: number): Promise<NamedFile>;
  /** What a tool call changes in files. */
  changesOf(row: number): Promise<readonly DeedEdit[]>;
  /** Takes the notes about it, as they are now. */
  setNotes(notes: readonly Note[]): Promise<void>;
  /** What a note about a row is about; rejects with an error for a person where there is no such row. */
  noteTargetOf(row: number): Promise<NoteTarget>;
  /** Where a note stands; undefined where its message is not in the transcript. */
  positionOfNote(note: string): Promise<number | undefined>;
  /** Where a message stands, by its own id; undefined where none has it. Rejects where the transcript cannot be read. */
  positionOfMessage(id: string, near: number | undefined): Promise<number | undefined>;
  /** The positions that the question found; rejects with an error for a person while it is still looking. */
  foundPositions(): Promise<readonly number[]>;
  dispose(): void;
}

/** The runs of agents, as a transcript panel sees them. */
export interface LiveRuns {
  /** Fires with the conversation whose state or pending approvals changed. */
  readonly onDidChangeState: Event<string>;
  /** Fires with the conversation in which an agent has written something, or no longer writes: very often. */
  readonly onDidWrite: Event<string>;
  stateOf(conversation: string): LiveState;
  /** What the agents of a conversation are writing. */
  liveTexts(conversation: string): readonly LiveText[];
  stop(conversation: string): void;
  /** Starts a run; rejects with an error for a person where it cannot. */
  continueConversation(conversation: string, text: string): Promise<void>;
  /**
   * Learns from the record how the last run of a conversation failed, where it was one of an earlier or another window;
   * the state changes when that is known. Never rejects.
   */
  recallFailure(conversation: string): Promise<void>;
  /** Does what a person chose after a failure; rejects with an error for a person. */
  afterFailure(conversation: string, way: FailureWay): Promise<void>;
}

/** The approvals that wait for a person; the state of a conversation changes with them. */
export interface PendingApprovals {
  /** Those of a conversation, oldest first. */
  pending(conversation: string): readonly ApprovalPrompt[];
  /** Answers an approval; false where it no longer waits. */
  answer(id: string, answer: ApprovalAnswer): boolean;
}

/**
 * Searches the transcript from the record at `from` as far as it is written when the scan starts.
 * Ends early when the signal is aborted. Rejects with an error for a person where a pattern does not end. A scanner
 * that cannot start in the middle may start at 0: matches before `from` are ignored.
 */
export type Scan = (question: ScanQuestion, signal: AbortSignal, from: number) => AsyncIterable<ScanBatch>;

/** A message record, and the counted tokens of its message. */
export interface CountedRecord {
  readonly record: ReadRecord;
  readonly tokens: number;
}

/**
 * Counts the tokens of whole messages, from the record at `start` up to, not including, `end`, off the main thread.
 * Rejects where that is not possible or the signal is aborted.
 */
export type CountTokens = (
  transcript: Transcript,
  start: number,
  end: number,
  signal: AbortSignal,
) => Promise<readonly CountedRecord[]>;

/** Where an export goes. */
export type ExportTarget = 'editor' | 'file' | 'clipboard';

/** Exports a conversation, or only the records at `positions`; rejects with an error for a person. */
export type ExportTranscript = (
  conversation: string,
  format: SavedFormat,
  positions: readonly number[] | undefined,
  target: ExportTarget,
  withNotes: boolean,
) => Promise<Delivered>;

/** The questions that were asked and saved, shared by all panels and kept across windows. */
export interface QuestionBook {
  known(): KnownQuestions;
  /** Notes a question as the one that was asked last. */
  note(question: Question): Promise<void>;
  /** Saves a question under its name, in the place of one with that name and scope; rejects where there are too many. */
  save(saved: SavedQuestion): Promise<void>;
  remove(name: string, scope: QuestionScope): Promise<void>;
}

/** The notes of all conversations; everything rejects with an error for a person. */
export interface NoteKeeper {
  /** Fires with a conversation whose notes changed; with undefined where those of any may have. */
  readonly onDidChange: Event<string | undefined>;
  of(conversation: string): Promise<{ readonly notes: readonly Note[] }>;
  add(conversation: string, about: NoteTarget, text: string): Promise<void>;
  rewrite(conversation: string, note: string, text: string): Promise<void>;
  remove(conversation: string, note: string): Promise<void>;
  /** Undoes the last change; tells what it was. */
  undo(conversation: string): Promise<'written' | 'changed' | 'removed'>;
}

/** When a person looked at a transcript last, in milliseconds since 1970, and how many records it had then. */
export interface Seen {
  readonly at: number;
  readonly records: number;
}

/** Keeps that a person looks at a transcript by now, which has so many records; gives what they had seen before. Never rejects. */
export type Looking = (records: number) => Promise<Seen | undefined>;

/** A queued text that could not be sent. */
export interface ReturnedText {
  readonly conversation: string;
  readonly text: string;
  /** Why, for a person; absent where they called it off. */
  readonly problem?: string;
}

/** The unsent texts of the chat boxes, kept across pages and windows. */
export interface Drafts {
  /** Fires when a text belongs back in the box, below what is there. */
  readonly onDidReturn: Event<ReturnedText>;
  /** The draft of a conversation, '' where there is none. Never rejects. */
  draftOf(conversation: string): Promise<string>;
  /** Replaces the draft of a conversation. Never rejects. */
  keep(conversation: string, draft: string): Promise<void>;
}

/** Opens the decisions of a conversation that a filter chooses as a text; rejects with an error for a person. */
export type ExportApprovals = (
  conversation: string,
  format: 'csv' | 'json',
  filter: Params<'approvals'>['filter'],
) => Promise<void>;

/** What a page may cause outside of itself; each rejects with an error for a person. */
export interface PanelActions {
  copy(text: string): Promise<Delivered>;
  /** Shows a text in an untitled editor; `language` is a VS Code language id. */
  showText(text: string, language: string): Promise<void>;
  /** Opens a file that a record names, if it lies in the workspace. `line` counts from 1. */
  openFile(path: string, line: number | undefined): Promise<void>;
  /** Shows changes of files in the editor's own view of differences. */
  openChanges(changes: readonly DeedEdit[]): Promise<void>;
  /** Opens files as transcripts that the person has dropped on the page, by their URIs. */
  openDropped(addresses: readonly string[]): Promise<void>;
  /** Shows the whole URL, http or https, and opens it in the browser if the person agrees. */
  openLink(url: string): Promise<void>;
}
