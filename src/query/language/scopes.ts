import type { SideScope } from './checkRows.js';
import type { UnitFacts } from './sessionFacts.js';

/** Of what kinds of things a sequence is asked; `any`: of records and tool calls. */
export type Scope = SideScope | 'any';

/** Whether a record or a tool call is one of those that are asked. */
export function isIn(unit: UnitFacts, scope: Scope): boolean {
  if (scope === 'any') return true;
  if (scope === 'toolCalls') return unit.kind === 'toolCall';
  return unit.kind === 'record' && (scope === 'records' || unit.isMessage);
}

/** The indexes of what is marked with 1. */
export function indexesOf(marks: Uint8Array): number[] {
  const indexes: number[] = [];
  for (let index = 0; index < marks.length; index++) if (marks[index] === 1) indexes.push(index);
  return indexes;
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
