import { CycleDetector, MAX_CYCLE } from '../core/cycles.js';
import type { CallNode } from './callTree.js';
import type { Reading } from './transcriptReader.js';

/** How often a tool call, or a short cycle of them, follows itself before that counts as a loop. */
export const LOOP_TIMES = 3;

/** A tool call as a loop may begin with it. */
interface Step {
  readonly position: number;
  /** In milliseconds since 1970; 0 where it is unknown. */
  readonly time: number;
}

/** A stretch in which a call of an agent made the same tool calls again and again. */
export interface Loop {
  readonly call: CallNode;
  readonly agent: string;
  /** The tool that was called last. */
  readonly tool: string;
  /** The first tool call of it. */
  readonly first: Step;
  /** When the last tool call of it was made. */
  end: number;
}

/** The tool calls of one call of an agent. */
interface Steps {
  cycles: CycleDetector;
  /** The last steps, newest last: as many as the longest cycle takes until it is found. */
  readonly last: Step[];
  loop: Loop | undefined;
}

/**
 * Finds loops: the same tool call, or the same cycle of up to `MAX_CYCLE`, three times or more in a row, with the same
 * arguments letter by letter, in one call of an agent. What a person says between ends it. Whether a loop was of use, as
 * that of somebody who waits for something, is not known.
 */
export class RepeatedCalls {
  readonly #steps = new WeakMap<CallNode, Steps>();

  /** Takes the next item in; gives the loops that begin with it, one that goes on is extended. */
  add({ facts, call, made, position }: Reading): readonly Loop[] {
    if (facts.role === 'user') this.#steps.delete(call);
    if (made.length === 0) return NONE;
    const steps = this.#steps.get(call) ?? { cycles: new CycleDetector(), last: [], loop: undefined };
    this.#steps.set(call, steps);
    const begun: Loop[] = [];
    for (const { name, hash } of facts.calls) {
      // What is too long to be compared is like nothing.
      if (hash === 0) {
        Object.assign(steps, { cycles: new CycleDetector(), loop: undefined });
        steps.last.length = 0;
        continue;
      }
      steps.last.push({ position, time: facts.time });
      if (steps.last.length > LOOP_TIMES * MAX_CYCLE) steps.last.shift();
      const period = steps.cycles.add(`${hash} ${name}`, LOOP_TIMES);
      if (period === 0) steps.loop = undefined;
      else if (steps.loop) steps.loop.end = facts.time;
      else {
        const first = steps.last.at(-LOOP_TIMES * period) ?? { position, time: facts.time };
        const agent = facts.place.agent ?? call.agent;
        steps.loop = { call, agent, tool: name, first, end: facts.time };
        begun.push(steps.loop);
      }
    }
    return begun;
  }
}

const NONE: readonly never[] = [];
