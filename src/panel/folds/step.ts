import type { ReadRecord } from '../../ports/transcript.js';
import type { AnsweredCall } from '../rows/openToolCalls.js';
import type { CallNode } from './callTree.js';

/** A record that was added, and its place in the conversation. */
export interface Step {
  readonly record: ReadRecord;
  readonly position: number;
  readonly call: CallNode;
  /** For a tool result: the call that it answers; absent where it answers none, or one already answered. */
  readonly answered?: AnsweredCall;
}
