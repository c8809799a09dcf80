import { ToolPairing, type PairedCall } from '../../query/toolPairing.js';

/** How many ids of tool calls are remembered for each call of an agent. */
const OPEN_CALLS = 10_000;
/** How many calls of agents are still remembered with the ids of their tool calls when they have ended: for late results. */
const ENDED_CALLS = 100;

/** The call that a tool's answer belongs to. */
export interface AnsweredCall {
  readonly row: number;
  readonly tool: string;
  readonly calledAt: number;
  /** Whether the call dispatched another agent. */
  readonly isDispatch?: boolean;
}

/** Which row a result, a dispatch or an approval belongs to, by the ids of tool calls. */
export class OpenToolCalls {
  readonly #results = new ToolPairing<AnsweredCall>(OPEN_CALLS);
  readonly #dispatches = new ToolPairing<number>(OPEN_CALLS);
  readonly #approvals = new ToolPairing<number>(OPEN_CALLS);
  readonly #ended: string[] = [];

  /** A message of an agent's call calls a tool. */
  open(call: string, id: string, message: number, asked: AnsweredCall): void {
    this.#results.open(call, id, message, asked);
    this.#dispatches.open(call, id, message, asked.row);
    this.#approvals.open(call, id, message, asked.row);
  }

  result(call: string, id: string): PairedCall<AnsweredCall> | undefined {
    return this.#results.answer(call, id);
  }

  dispatch(call: string, id: string): PairedCall<number> | undefined {
    return this.#dispatches.answer(call, id);
  }

  approval(call: string, id: string): PairedCall<number> | undefined {
    return this.#approvals.answer(call, id);
  }

  /** An agent's call has ended; what it asked for is forgotten some calls later. */
  end(call: string): void {
    this.#ended.push(call);
    if (this.#ended.length <= ENDED_CALLS) return;
    const oldest = this.#ended.shift() ?? '';
    for (const pairing of [this.#results, this.#dispatches, this.#approvals]) pairing.forget(oldest);
  }
}
