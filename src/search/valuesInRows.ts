import type { SessionFacts, UnitFacts } from '../query/language/sessionFacts.js';
import type { RowKind } from '../query/language/syntax.js';

/** Who said something in a row, with which tools and models. */
export interface ValuesInRow {
  readonly agents: Set<string>;
  readonly tools: Set<string>;
  readonly models: Set<string>;
}

/** The values in some rows of a session that are larger than a record, by their indexes. */
export function valuesInRows(
  { records, shapes }: SessionFacts,
  rows: RowKind,
  indexes: readonly number[],
): ReadonlyMap<number, ValuesInRow> {
  const values = new Map<number, ValuesInRow>();
  for (const index of indexes) values.set(index, { agents: new Set(), tools: new Set(), models: new Set() });
  const add = (to: ValuesInRow | undefined, { agent, tools, model }: UnitFacts): void => {
    if (!to) return;
    if (agent !== undefined) to.agents.add(agent);
    for (const tool of tools) to.tools.add(tool);
    if (model !== undefined) to.models.add(model);
  };
  if (rows === 'sessions' && shapes) {
    for (const example of shapes.examples) add(values.get(0), example);
    return values;
  }
  for (let at = 0; at < records.length; at++) {
    const record = records.at(at);
    const row = rows === 'sessions' ? 0 : rows === 'runs' ? record?.run : record?.agentCall;
    if (record && row !== undefined) add(values.get(row), record);
  }
  return values;
}
