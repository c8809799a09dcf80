import type { SessionFacts } from './sessionFacts.js';
import type { RowKind, Part, Sequence, Term } from './syntax.js';

/** The positions of the records that rows of a session are, or that belong to them; ascending. `found` are indexes that `evaluate` gave. */
export function recordsOf(facts: SessionFacts, rows: RowKind, found: readonly number[]): readonly number[] {
  if (rows === 'records' || rows === 'messages') return found;
  if (rows === 'toolCalls') {
    const ends = found.map((at) => facts.toolCalls.at(at));
    return ascending(ends.flatMap((call) => [call?.askedAt, call?.answeredAt]));
  }
  const wanted = new Set(found);
  const positions: number[] = [];
  for (let at = 0; at < facts.records.length; at++) {
    const record = facts.records.at(at);
    const of = rows === 'runs' ? record?.run : rows === 'agentCalls' ? record?.agentCall : 0;
    if (of !== undefined && wanted.has(of)) positions.push(at);
  }
  return positions;
}

function ascending(positions: readonly (number | undefined)[]): number[] {
  return [...new Set(positions.filter((position) => position !== undefined))].sort((a, b) => a - b);
}

/**
 * Whether any row of a session can match a question, where `mayHold` tells of a term whether it may hold for anything in
 * the session. What is negated rules nothing out.
 */
export function couldMatch(sequence: Sequence, mayHold: (term: Term) => boolean): boolean {
  const sides = sequence.kind === 'order' ? [sequence.left, sequence.right] : [sequence];
  return sides.every(({ of }) => of.every((part) => couldHold(part, mayHold)));
}

function couldHold(part: Part, mayHold: (term: Term) => boolean): boolean {
  if (part.kind === 'not') return true;
  if (part.kind === 'term') return mayHold(part);
  return part.of.some((sequence) => couldMatch(sequence, mayHold));
}
