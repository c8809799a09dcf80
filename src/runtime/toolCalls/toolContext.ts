import type { ApprovalDecision, ApprovalRequest, Approver } from '../../ports/approvals.js';
import type { Dispatch, ToolContext } from '../../ports/tool.js';
import type { CallFrame } from '../callFrame.js';
import type { PausableTimer } from '../limits/pausableTimer.js';

/** What a tool call gets: everything it may need, bound to its call and its own end. */
export function toolContext(
  frame: CallFrame,
  toolCallId: string,
  signal: AbortSignal,
  timer: PausableTimer | undefined,
  dispatch: Dispatch,
): ToolContext {
  return {
    frontend: frame.options.frontend,
    signal,
    call: frame.recordPlace,
    toolCallId,
    approvals: new PausingApprover(frame, timer),
    record: frame.recordDraft,
    dispatch,
  };
}

/** Asks as before, but the time in which a person thinks counts for nobody. */
class PausingApprover implements Approver {
  readonly #frame: CallFrame;
  readonly #timer: PausableTimer | undefined;

  constructor(frame: CallFrame, timer: PausableTimer | undefined) {
    this.#frame = frame;
    this.#timer = timer;
  }

  async decide(request: ApprovalRequest): Promise<ApprovalDecision> {
    if (this.#frame.isOver) return { approved: false, decidedBy: 'cancel' };
    const resume = [this.#frame.scope.pause(), this.#timer?.pause()];
    try {
      return await this.#frame.track(this.#frame.config.approvals.decide(request));
    } finally {
      for (const go of resume) go?.();
    }
  }
}
