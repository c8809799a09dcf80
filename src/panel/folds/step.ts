import type { ReadRecord } from '../../ports/transcript.js';
import type { AnsweredCall } from '../rows/openToolCalls.js';
import type { CallNode } from './callTree.js';

/** One record taken in, and what it was in the conversation. */
export interface Step {
  readonly record: ReadRecord;
  readonly position: number;
  readonly call: CallNode;
  /** For a tool's answer: the call that it answers; absent for one that answers none, or answers again. */
  readonly answered?: AnsweredCall;
}
