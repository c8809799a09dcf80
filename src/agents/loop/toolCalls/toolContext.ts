import type { ApprovalDecision, ApprovalRequest, Approver } from '../../../core/ports/approvals.js';
import type { Dispatch, ToolContext } from '../../../core/ports/tool.js';
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
    approvals: new PausingApprover(frame, signal, timer),
    record: frame.recordDraft,
    dispatch: async (request) => {
      const resume = timer?.pause();
      try {
        return await dispatch(endingWith(signal, request));
      } finally {
        resume?.();
      }
    },
  };
}

/** A request of a tool that brings a signal of its own ends with the tool's call all the same. */
function endingWith<T extends { readonly signal: AbortSignal }>(signal: AbortSignal, request: T): T {
  return request.signal === signal
    ? request
    : { ...request, signal: AbortSignal.any([request.signal, signal]) };
}

/** Asks as before, but the time in which a person thinks counts for nobody. */
class PausingApprover implements Approver {
  readonly #frame: CallFrame;
  readonly #signal: AbortSignal;
  readonly #timer: PausableTimer | undefined;

  constructor(frame: CallFrame, signal: AbortSignal, timer: PausableTimer | undefined) {
    this.#frame = frame;
    this.#signal = signal;
    this.#timer = timer;
  }

  async decide(request: ApprovalRequest): Promise<ApprovalDecision> {
    if (this.#frame.isOver) return { approved: false, decidedBy: 'cancel' };
    const { approvals, runApprovalPolicy } = this.#frame.config;
    const resume = [this.#frame.scope.pause(), this.#timer?.pause()];
    try {
      return await this.#frame.track(approvals.decide(endingWith(this.#signal, request), runApprovalPolicy));
    } finally {
      for (const go of resume) go?.();
    }
  }
}
