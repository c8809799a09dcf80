import type { SessionFacts } from './sessionFacts.js';
import type { RowKind } from './syntax.js';

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
