import type { ConversationPaths } from '../storePaths.js';
import type { FilterCriteria } from '../../query/criteria.js';

/** A conversation as the thread that scans finds it. */
export interface ScanTarget {
  readonly root: string;
  readonly id: string;
  readonly name: string;
}

/** A conversation of the store for the thread. */
export function targetOf({ root, id, name }: ConversationPaths): ScanTarget {
  return { root, id, name };
}

/** What the thread is asked: where records match, or also how they read, or which tools are called. */
export interface ScanQuestion {
  readonly id: number;
  readonly targets: readonly ScanTarget[];
  readonly criteria: FilterCriteria;
  /** The first position that is asked for, in each target. */
  readonly from: number;
  /** Whether an index of the target is made and used; one target, and no hits. */
  readonly indexed?: boolean;
  /** Whether hits are wanted with their texts, not just positions; and how many of all at the most. */
  readonly hits?: number;
  /** Asks, whatever the criteria, for the names of the tools that are called in the first target: so many at the most. */
  readonly tools?: number;
  /** Two 32-bit numbers: whether to stop, and a count that goes up with every record that is looked at. */
  readonly control: Int32Array;
}

export const STOP = 0;
export const PROGRESS = 1;
/** Greater than 0 while a record is being matched, which a pattern may never end to do. */
export const MATCHING = 2;
export const CONTROL_LENGTH = 3;

/** Whether the one who asked wants no more answers. */
export function isStopped(control: Int32Array): boolean {
  return Atomics.load(control, STOP) !== 0;
}

/** Answers are gathered for this long before they are told, in milliseconds, except the first. */
export const TELL_MS = 30;

/** What the thread is told: to answer, or to make ready for questions about a conversation that are likely to come. */
export type ScanOrder = ScanQuestion | { readonly prepare: ScanTarget };

/** Some of a scan's result: positions of matching records, ascending over the whole scan. */
export interface ScanBatch {
  readonly positions: Uint32Array;
  /** Records looked at so far, counted from the conversation's first. */
  readonly scanned: number;
}

/** A record that a search has found. */
export interface SearchHit {
  readonly conversation: string;
  readonly position: number;
  readonly seq: number;
  readonly id: string;
  readonly time: number;
  readonly agent: string;
  /** The message's role; for records without a message their type. */
  readonly role: string;
  /** One line of text around the match, with where the match begins and ends in it. */
  readonly snippet: string;
  readonly start: number;
  readonly end: number;
}

/** How far a search has come. */
export interface SearchProgress {
  /** Conversations that were looked through, of how many. */
  readonly conversations: number;
  readonly of: number;
  readonly records: number;
  readonly hits: number;
}

/** What the thread answers, bit by bit; `done` or `problem` is the last. */
export type ScanAnswer =
  | { readonly id: number; readonly batch: ScanBatch }
  | { readonly id: number; readonly hits: readonly SearchHit[]; readonly progress: SearchProgress }
  | { readonly id: number; readonly tools: readonly string[] }
  | { readonly id: number; readonly done: true; readonly limited: boolean }
  | { readonly id: number; readonly problem: string };
