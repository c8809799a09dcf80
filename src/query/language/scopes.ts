import type { SideScope } from './checkRows.js';
import type { SessionFacts, UnitFacts } from './sessionFacts.js';

/** Of what kinds of things a sequence is asked; `any`: of records and tool calls. */
export type Scope = SideScope | 'any';

/** Whether a record or a tool call is one of those that are asked. */
export function isIn(unit: UnitFacts, scope: Scope): boolean {
  if (scope === 'any') return true;
  if (scope === 'toolCalls') return unit.kind === 'toolCall';
  return unit.kind === 'record' && (scope === 'records' || unit.isMessage);
}

/**
 * The indexes of what is marked with 1, from one on and up to another, counted from the first of these; in exactly the room
 * that they need, because there may be as many as there are records.
 */
export function indexesOf(marks: Uint8Array, from = 0, to = marks.length): number[] {
  let count = 0;
  for (let index = from; index < to; index++) if (marks[index] === 1) count++;
  const indexes = new Array<number>(count);
  for (let index = from, at = 0; at < count; index++) if (marks[index] === 1) indexes[at++] = index - from;
  return indexes;
}

const NO_MARKS = new Uint8Array(0);
let spare = NO_MARKS;

/** Marks of at least so many things, which are any: the same memory for one session after the other. */
export function takeMarks(length: number): Uint8Array<ArrayBuffer> {
  const marks = spare.length < length ? new Uint8Array(length) : spare;
  // Whoever asks before they are given back gets others.
  spare = NO_MARKS;
  return marks;
}

/** To be called with marks that were taken, once they are not needed any more. */
export function giveMarks(marks: Uint8Array<ArrayBuffer>): void {
  spare = marks;
}

/** How a tool call was decided on; of a record, all that it concerns. */
export function decisionsOf(unit: UnitFacts, { toolCalls }: SessionFacts): readonly string[] {
  if (unit.kind === 'toolCall') return unit.decisions;
  return [...unit.decisions, ...unit.toolCalls.flatMap((index) => toolCalls.at(index)?.decisions ?? [])];
}

/** What the sides of an order are asked to share, of one record or tool call. */
export function sharedOf(
  unit: UnitFacts,
  shared: 'agent' | 'call' | 'run' | 'tool',
): readonly (string | number)[] {
  switch (shared) {
    case 'agent':
      return unit.agent === undefined ? [] : [unit.agent];
    case 'call':
      return [unit.agentCall];
    case 'run':
      return [unit.run];
    case 'tool':
      return unit.tools;
  }
}
