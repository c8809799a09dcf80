import type { ConversationPaths } from '../files/storePaths.js';
import type { ScanBatch } from '../../ports/transcript.js';
import type { FilterCriteria } from '../../query/filterCriteria.js';

/** Where the scanning thread finds a conversation. */
export interface ScanTarget {
  readonly root: string;
  readonly id: string;
  readonly name: string;
}

/** A conversation as a target for the thread. */
export function targetOf({ root, id, name }: ConversationPaths): ScanTarget {
  return { root, id, name };
}

/** A question to the thread: where records match, or which tools are called. */
export interface ScanQuestion {
  readonly id: number;
  readonly targets: readonly ScanTarget[];
  readonly criteria: FilterCriteria;
  /** The first position of interest, in each target. */
  readonly from: number;
  /** The most tool names to give: asks, instead of the criteria, for the tools called in the first target. */
  readonly tools?: number;
  /** Shared memory with two 32-bit numbers: whether to stop, and a count that rises with every record examined. */
  readonly control: Int32Array;
}

/** The index in `control` of the number that is not 0 when the question is to stop. */
export const STOP = 0;
/** The index in `control` of the count of records examined. */
export const PROGRESS = 1;
/** The index in `control` of a number above 0 while a record is being matched, which may never end. */
export const MATCHING = 2;
/** How many numbers `control` has. */
export const CONTROL_LENGTH = 3;

/** Whether no more answers are wanted. */
export function isStopped(control: Int32Array): boolean {
  return Atomics.load(control, STOP) !== 0;
}

/** How long answers are collected before they are sent, in milliseconds; the first is sent at once. */
export const REPORT_MS = 30;

/** An answer of the thread; the last one to a question is `done` or `problem`. */
export type ScanAnswer =
  | { readonly id: number; readonly batch: ScanBatch }
  | { readonly id: number; readonly tools: readonly string[] }
  | { readonly id: number; readonly done: true }
  | { readonly id: number; readonly problem: string };
