import { CycleDetector, MAX_CYCLE } from '../../core/cycles.js';
import type { CallNode } from './callTree.js';
import type { Facts } from './facts.js';
import type { Reading } from './transcriptReader.js';

/** How often a tool call, or a short cycle of them, follows itself before that counts as a loop. */
export const LOOP_TIMES = 3;

/** A tool call as a loop may begin with it. */
interface Step {
  readonly tool: string;
  /** See `argumentHash`. */
  readonly hash: number;
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
  cycles: CycleDetector<Step>;
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
  /** By the indexes of their calls, as long as these go on. */
  readonly #steps = new Map<number, Steps>();

  /** Takes the next item in; gives the loops that begin with it, one that goes on is extended. */
  add({ facts, call, made, position }: Reading): readonly Loop[] {
    if (facts.role === 'user' || facts.type === 'callEnd') this.#steps.delete(call.index);
    if (made.length === 0) return NONE;
    let begun = NONE;
    for (const { name: tool, hash } of facts.calls) {
      // What is too long to be compared is like nothing.
      if (hash === 0) {
        this.#steps.delete(call.index);
        continue;
      }
      const loop = addStep(this.#stepsOf(call), { tool, hash, position, time: facts.time }, facts, call);
      if (loop) begun = [...begun, loop];
    }
    return begun;
  }

  #stepsOf({ index }: CallNode): Steps {
    let steps = this.#steps.get(index);
    if (!steps)
      this.#steps.set(index, (steps = { cycles: new CycleDetector(isSame), last: [], loop: undefined }));
    return steps;
  }
}

const NONE: readonly Loop[] = [];

function isSame(one: Step, other: Step): boolean {
  return one.hash === other.hash && one.tool === other.tool;
}

/** Adds a tool call to those of its call of an agent; gives the loop that is known of by it. */
function addStep(steps: Steps, step: Step, { place }: Facts, call: CallNode): Loop | undefined {
  const { cycles, last, loop } = steps;
  last.push(step);
  if (last.length > LOOP_TIMES * MAX_CYCLE) last.shift();
  const period = cycles.add(step, LOOP_TIMES);
  if (period === 0) steps.loop = undefined;
  else if (loop) loop.end = step.time;
  else {
    const first = last.at(-LOOP_TIMES * period) ?? step;
    steps.loop = { call, agent: place.agent ?? call.agent, tool: step.tool, first, end: step.time };
    return steps.loop;
  }
  return undefined;
}
