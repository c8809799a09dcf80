import type { ReadRecord } from '../../ports/transcript.js';
import type { AnsweredCall } from '../rows/openToolCalls.js';
import type { CallNode } from './callTree.js';

/** A record that was added, and its place in the conversation. */
export interface Step {
  readonly record: ReadRecord;
  readonly position: number;
  readonly call: CallNode;
  /** The colour of the agent that the record is of. */
  readonly hue: number;
  /** For a tool result: the call that it answers; absent where it answers none, or one already answered. */
  readonly answered?: AnsweredCall;
  /** For such a result: how long the call took, in milliseconds, see `toolDuration`; absent where it is unknown. */
  readonly tookMs?: number;
  /** Whether its row shows a failure that no earlier record of the row told of. */
  readonly isNewFailure: boolean;
  /** The tool whose call is now known to have failed, once for each call. */
  readonly failedTool?: string;
}
