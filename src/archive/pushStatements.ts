import type { Parameter } from './archiveConnection.js';
import { SEPARATOR } from './archiveText.js';
import { binaryArray, type ColumnType, type ColumnValue } from './binaryArray.js';
import type { RecordColumns } from './conversationFold.js';
import type { ArchivedLine } from './recordLines.js';

/** The columns of `summaries` behind the conversation. */
const SUMMED = [
  'records',
  'began_ms',
  'ended_ms',
  'agents',
  'tools',
  'models',
  'roles',
  'has_error',
  'entry',
  'facts',
  'grams',
];
/** Takes the conversation, then the values of `SUMMED`. */
export const INSERT_SUMMARY = `INSERT INTO agent_logbook.summaries (conversation, ${SUMMED.join(', ')})
VALUES ($1, ${SUMMED.map((_, at) => `$${at + 2}`).join(', ')}) ON CONFLICT (conversation) DO NOTHING`;
/** By a statement of its own: to take over what was refused, one would need the right to read it. */
export const UPDATE_SUMMARY = `UPDATE agent_logbook.summaries SET ${SUMMED.map((name, at) => `${name} = $${at + 2}`).join(', ')}
WHERE conversation = $1 AND records <= $2`;

/** A column of `records`: its name, its type on the way (a list is a text that the server takes apart), and its value. */
type Column = readonly [
  name: string,
  type: ColumnType | 'list',
  of: (columns: RecordColumns, line: ArchivedLine) => ColumnValue,
];

/** The columns of `records` behind conversation and position. */
const COLUMNS: readonly Column[] = [
  ['seq', 'bigint', ({ seq }) => seq],
  ['id', 'text', ({ id }) => id],
  ['type', 'text', ({ type }) => type],
  ['role', 'text', ({ role }) => role],
  ['agent', 'text', ({ agent }) => agent],
  ['run', 'text', ({ run }) => run],
  ['call', 'text', ({ call }) => call],
  ['parent_call', 'text', ({ parentCall }) => parentCall],
  ['depth', 'bigint', ({ depth }) => depth],
  ['time_ms', 'double precision', ({ time }) => time],
  ['tools', 'list', ({ tools }) => tools],
  ['model', 'text', ({ model }) => model],
  ['is_error', 'boolean', ({ isError }) => isError],
  ['duration_ms', 'double precision', ({ duration }) => duration],
  ['input_tokens', 'double precision', ({ input }) => input],
  ['output_tokens', 'double precision', ({ output }) => output],
  ['cost', 'double precision', ({ cost }) => cost],
  ['cost_known', 'text', ({ costKnown }) => costKnown],
  ['files', 'list', ({ files }) => files],
  ['programs', 'list', ({ programs }) => programs],
  ['mode', 'text', (_, { mode }) => mode],
  ['is_odd', 'boolean', ({ isOdd }) => isOdd],
  ['line', 'bytea', (_, { line }) => line],
];

/** The values of the columns of some records, each column as an array. */
export function columnsOf(lines: readonly ArchivedLine[], columns: readonly RecordColumns[]): Parameter[] {
  return COLUMNS.map(([, type, take]) =>
    binaryArray(
      type === 'list' ? 'text' : type,
      lines.map((line, at) => {
        const record = columns[at];
        return record ? take(record, line) : null;
      }),
    ),
  );
}

const FIRST = 3;
const names = COLUMNS.map(([name]) => name).join(', ');
const taken = COLUMNS.map(([name, type]) =>
  type === 'list' ? `string_to_array(each.${name}, '${SEPARATOR}')` : `each.${name}`,
);
const given = COLUMNS.map(([, type], at) => `$${at + FIRST}::${type === 'list' ? 'text' : type}[]`);
/** Takes the conversation, the positions, and what `columnsOf` gives. */
export const INSERT_RECORDS = `INSERT INTO agent_logbook.records (conversation, position, ${names})
SELECT $1, each.position, ${taken.join(', ')}
FROM unnest($2::bigint[], ${given.join(', ')}) AS each (position, ${names})
ON CONFLICT (conversation, position) DO NOTHING`;
