import { ToolPairing, type PairedCall } from '../../analysis/toolPairing.js';

/** How many ids of tool calls are remembered for each call of an agent. */
const OPEN_CALLS = 10_000;
/** For how many ended calls of agents the tool call ids are still remembered, for late results. */
const ENDED_CALLS = 100;

/** The call that a tool result belongs to. */
export interface AnsweredCall {
  readonly row: number;
  readonly tool: string;
  readonly calledAt: number;
  /** How long a person has been waited for, in milliseconds. */
  waitedMs?: number;
  /** Whether the call dispatched another agent. */
  readonly isDispatch?: boolean;
}

/** Finds the row that a result, a dispatch or an approval belongs to, by tool call id. */
export class OpenToolCalls {
  readonly #results = new ToolPairing<AnsweredCall>(OPEN_CALLS);
  readonly #dispatches = new ToolPairing<number>(OPEN_CALLS);
  readonly #approvals = new ToolPairing<AnsweredCall>(OPEN_CALLS);
  readonly #ended: string[] = [];

  /** Adds a tool call that a message of an agent's call makes. */
  open(call: string, id: string, message: number, asked: AnsweredCall): void {
    this.#results.open(call, id, message, asked);
    this.#dispatches.open(call, id, message, asked.row);
    this.#approvals.open(call, id, message, asked);
  }

  result(call: string, id: string): PairedCall<AnsweredCall> | undefined {
    return this.#results.answer(call, id);
  }

  dispatch(call: string, id: string): PairedCall<number> | undefined {
    return this.#dispatches.answer(call, id);
  }

  approval(call: string, id: string): PairedCall<AnsweredCall> | undefined {
    return this.#approvals.answer(call, id);
  }

  /** To be called when an agent's call has ended; its tool calls are forgotten some calls later. */
  end(call: string): void {
    this.#ended.push(call);
    if (this.#ended.length <= ENDED_CALLS) return;
    const oldest = this.#ended.shift() ?? '';
    for (const pairing of [this.#results, this.#dispatches, this.#approvals]) pairing.forget(oldest);
  }
}
