import { isWork } from './callTree.js';
import { beginsTurn } from './transcriptItem.js';
import { numberOr } from './values.js';

/** The runs that records have told of so far; plain data, so that the catalog can cache it. */
export interface RunsSoFar {
  runs: number;
  /** Whether a record told of the start of one, which only what was recorded here does. */
  recordedHere: boolean;
  /** Whether the last of them has its prompt. */
  prompted: boolean;
}

/** Before the first record. */
export const NO_RUNS: RunsSoFar = { runs: 0, recordedHere: false, prompted: false };

/** What tells of runs in a record; of any value, because files may be hostile. */
export interface RunSign {
  readonly type: string;
  /** How deep its call is; an entry call has depth 0, and so has a record that says nothing of it. */
  readonly depth: unknown;
  /** The role of its message; undefined for a record of another type. */
  readonly role: unknown;
  /** See `isAbsorbed`. */
  readonly isAbsorbed?: boolean;
}

/**
 * What every view calls a run: one prompt and all that comes of it. What was recorded here tells where each begins: at the
 * start of an entry call. An imported session does not; there it is the stretch from one prompt to the entry agent to the
 * next, whatever stands before the first prompt included. Counts the next record; whether a run begins with it.
 */
export function countRun(counted: RunsSoFar, { type, depth, role, isAbsorbed = false }: RunSign): boolean {
  const isEntry = (numberOr(depth) ?? 0) === 0;
  const isStart = isEntry && type === 'callStart';
  const isPrompt = isEntry && beginsTurn({ role, isAbsorbed });
  const isFirst = counted.runs === 0 && isWork({ type });
  const begins = isStart || (!counted.recordedHere && (isFirst || (isPrompt && counted.prompted)));
  counted.recordedHere ||= isStart;
  if (begins) {
    counted.runs++;
    counted.prompted = false;
  }
  counted.prompted ||= isPrompt;
  return begins;
}
