import { expect, onTestFinished, test, vi } from 'vitest';
import { ArchiveConnection } from '../../../src/archive/archiveConnection.js';
import { ArchiveReader } from '../../../src/archive/archiveReader.js';
import { checkSchema, SCHEMA_SQL } from '../../../src/archive/archiveSchema.js';
import { planQuery } from '../../../src/query/language/plan.js';
import { pushTo } from '../../support/pushedArchive.js';
import { recordOf, said } from '../../support/storeFixture.js';
import { testArchives } from '../../support/testArchive.js';

const { connect, database } = testArchives();

/** Words of SQL that PostgreSQL, CockroachDB, YugabyteDB and Citus document alike. */
const WORDS = new Set(
  `add all and any as asc begin by cast check commit conflict create cross default desc distinct do else end exists false first from
group having if in inner insert into is join key last left like limit not nothing null nulls offset on or order primary rollback
schema select set table then true update values when where`.split(/\s+/),
);
const TYPES = new Set(['text', 'bigint', 'double', 'precision', 'boolean', 'bytea', 'timestamptz']);
const FUNCTIONS = new Set([
  'unnest',
  'string_to_array',
  'array_to_string',
  'encode',
  'count',
  'now',
  'position',
  'translate',
  'format_type',
]);
/** What stands in front of a list in brackets and is no function. */
const LISTS = new Set([
  'conflict',
  'values',
  'key',
  'any',
  'in',
  'and',
  'or',
  'exists',
  'where',
  'on',
  'from',
  'not',
  'select',
  'as',
  'then',
  'when',
  'by',
]);
/** The tables by which every engine tells what stands in a schema, and their columns. */
const CATALOG =
  'pg_catalog pg_class pg_namespace pg_attribute oid relname relnamespace relkind nspname attname attrelid attnum attisdropped atttypid'.split(
    ' ',
  );

const TOKEN = /\s+|'(?:[^']|'')*'|\$\d+|\d+|[a-z_]\w*|::|\|\||<=|>=|<>|[-+*/%<>=(),.;[\]]/giy;

/** What of a statement is not in the common subset; empty where all of it is. */
function beyond(statement: string): readonly string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  for (let end = 0; end < statement.length; end = TOKEN.lastIndex) {
    const [token] = TOKEN.exec(statement) ?? [];
    if (token === undefined) return [`unreadable: ${statement.slice(end, end + 40)}`];
    if (token.trim() !== '') tokens.push(token);
  }
  const lower = tokens.map((token) => token.toLowerCase());
  const columns = SCHEMA_SQL.flatMap((each) => [...each.matchAll(/[a-z_]\w*/g)].map(([word]) => word));
  const named = lower.filter((_, at) => lower[at - 1] === 'as');
  const known = new Set([
    'agent_logbook',
    'version',
    'c',
    's',
    'n',
    'a',
    'each',
    ...columns,
    ...CATALOG,
    ...named,
  ]);
  const found: string[] = [];
  for (const [at, word] of lower.entries()) {
    if (!/^[a-z_]/.test(word)) continue;
    const [before, next] = [lower[at - 1], lower[at + 1]];
    const isColumnList = before === '.' || before === 'as';
    if (next === '(' && !LISTS.has(word) && !isColumnList) {
      if (!FUNCTIONS.has(word)) found.push(`${word}()`);
      // Of lists that the program gives, and never of a column of the row around it.
      if (
        word === 'unnest' &&
        (before !== 'from' || !/^\$\d+ :: /.test(lower.slice(at + 2, at + 5).join(' ')))
      )
        found.push('unnest of a column');
    } else if (before === '::') {
      if (!TYPES.has(word)) found.push(`::${word}`);
    } else if (!WORDS.has(word) && !known.has(word) && !TYPES.has(word)) found.push(word);
  }
  return found;
}

test('what is beyond the subset is known', () => {
  expect(beyond(`SELECT x.conversation FROM agent_logbook.records AS x`)).toEqual([]);
  for (const [statement, word] of [
    [`DO $$ BEGIN END $$`, 'unreadable'],
    [
      `SELECT 1 FROM agent_logbook.records AS s WHERE EXISTS (SELECT 1 FROM unnest(s.tools) AS e)`,
      'unnest of a column',
    ],
    [`SELECT line FROM agent_logbook.records FOR UPDATE SKIP LOCKED`, 'for'],
    [`SELECT to_tsvector(line)`, 'to_tsvector()'],
    [`SELECT line::jsonb`, '::jsonb'],
    [`CREATE INDEX i ON agent_logbook.records USING gin (tools)`, 'index'],
    [`SELECT 1 FROM a LATERAL JOIN b`, 'lateral'],
  ] as const)
    expect(beyond(statement).join(' ')).toContain(word);
});

test('every statement keeps to what PostgreSQL, CockroachDB, YugabyteDB and Citus take', async () => {
  const asked = new Set<string>();
  const query = ArchiveConnection.prototype.query;
  const spy = vi.spyOn(ArchiveConnection.prototype, 'query').mockImplementation(function (
    this: ArchiveConnection,
    text,
    values,
  ) {
    asked.add(text);
    return query.call(this, text, values);
  });
  onTestFinished(() => spy.mockRestore());
  const connection = await connect(await database());
  onTestFinished(() => connection.close());
  asked.clear();
  await checkSchema(connection, true);
  const records = [recordOf(1, said('Knead. '.repeat(30_000)), 'one')];
  await pushTo(connection, 'one', records);
  await pushTo(connection, 'one', [...records, recordOf(2, said('Done.'), 'one')]);
  const reader = new ArchiveReader(() => Promise.resolve(connection));
  for (const text of [
    'model:gpt-* tool:read*',
    'agent:chef since:2026-01-01 before:2030-01-01 (is:error OR role:user)',
    'Knead -dough',
  ]) {
    const planned = planQuery(text, { rows: 'messages', now: 1_790_000_100_000, timeZone: 'UTC' });
    if (!planned.ok) throw new Error(text);
    for (const each of await reader.conversations(planned.plan)) {
      await reader.factsOf(each);
      await reader.mayHave(each, [
        { text: 'Knead', ignoresCase: true },
        { text: 'Done', ignoresCase: false },
      ]);
    }
  }
  const found = await reader.find('one');
  const transcript = reader.transcript(found);
  await transcript.read(0, 2);
  await transcript.readAt([0, 1]);
  await reader.page(0, 10);
  await reader.count();
  expect(asked.size).toBeGreaterThan(20);
  expect(
    [...asked].flatMap((statement) =>
      beyond(statement).map((what) => `${what} in ${statement.slice(0, 80)}`),
    ),
  ).toEqual([]);
});
