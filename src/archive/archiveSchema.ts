import { t } from '../core/l10n.js';
import type { ArchiveConnection } from './archiveConnection.js';
import { ArchiveError, codeOfCause } from './archiveError.js';

/** The version of the tables that this program reads and writes. */
export const SCHEMA_VERSION = 1;

/**
 * The tables, in the SQL that PostgreSQL, CockroachDB, YugabyteDB and Citus share. Every primary key begins with the
 * conversation, so that they can be distributed by it. `docs/archive.md` says what each column means, and has the same statements.
 */
export const SCHEMA_SQL: readonly string[] = [
  `CREATE SCHEMA IF NOT EXISTS agent_logbook`,
  `CREATE TABLE IF NOT EXISTS agent_logbook.meta (
  name text PRIMARY KEY,
  value text NOT NULL
)`,
  `CREATE TABLE IF NOT EXISTS agent_logbook.conversations (
  conversation text PRIMARY KEY,
  project text,
  source text,
  mode text NOT NULL,
  records bigint NOT NULL,
  about bytea NOT NULL,
  pushed_at timestamptz NOT NULL
)`,
  `CREATE TABLE IF NOT EXISTS agent_logbook.records (
  conversation text NOT NULL,
  position bigint NOT NULL,
  seq bigint,
  id text NOT NULL,
  type text NOT NULL,
  role text,
  agent text,
  run text,
  call text,
  parent_call text,
  depth bigint,
  time_ms double precision,
  tools text[],
  model text,
  is_error boolean NOT NULL,
  duration_ms double precision,
  input_tokens double precision,
  output_tokens double precision,
  cost double precision,
  cost_known text,
  files text[],
  programs text[],
  mode text NOT NULL,
  is_odd boolean NOT NULL,
  line bytea NOT NULL,
  PRIMARY KEY (conversation, position)
)`,
  `CREATE TABLE IF NOT EXISTS agent_logbook.texts (
  conversation text NOT NULL,
  path text NOT NULL,
  part bigint NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (conversation, path, part)
)`,
  `CREATE TABLE IF NOT EXISTS agent_logbook.summaries (
  conversation text PRIMARY KEY,
  records bigint NOT NULL,
  began_ms double precision,
  ended_ms double precision,
  agents text[],
  tools text[],
  models text[],
  roles text[],
  has_error boolean NOT NULL,
  entry bytea NOT NULL,
  facts bytea,
  grams bytea
)`,
];

/** Undefined tables, schemas and columns, and other types than ours, as servers name them. */
const MISSING = /\b(?:42P01|3F000|42703|42883|42809|22P02)\b/;
/** Somebody else creates the same at this moment: the table, its schema, or the row type that belongs to it (42710). */
const SAME_TIME = /\b(?:23505|42P07|42P06|42710|XX000|40001)\b/;

/**
 * Makes sure that the tables are there and of this version. `mayCreate`: whether they are made where they are missing.
 * Throws an ArchiveError that says what to do.
 */
export async function checkSchema(connection: ArchiveConnection, mayCreate: boolean): Promise<void> {
  const version = (await versionOf(connection)) ?? (mayCreate ? await create(connection) : undefined);
  if (typeof version === 'string')
    throw new ArchiveError(
      t`The schema agent_logbook in ${connection.place} is no archive that this program knows: it calls its version ${JSON.stringify(version.slice(0, 40))}. Nothing was changed. Name another database, or rename that schema.`,
      'refused',
    );
  if (version === undefined)
    throw new ArchiveError(
      t`The database ${connection.place} holds no archive yet. It is made by the first push, or by whoever administers it with the statements of docs/archive.md.`,
      'refused',
    );
  if (version !== SCHEMA_VERSION)
    throw new ArchiveError(
      t`The archive ${connection.place} has version ${version} of the tables, and this program knows version ${SCHEMA_VERSION}. Update Agent Logbook.`,
      'refused',
    );
}

/** A version that is no number is told as the text that it is. */
async function versionOf(connection: ArchiveConnection): Promise<number | string | undefined> {
  try {
    const { rows } = await connection.query(`SELECT value FROM agent_logbook.meta WHERE name = 'version'`);
    if (!rows[0]) return undefined;
    const value = String(rows[0].value);
    return /^[1-9]\d{0,8}$/.test(value) ? Number(value) : value;
  } catch (error) {
    if (MISSING.test(codeOfCause(error))) return undefined;
    throw error;
  }
}

/** The version that is there afterwards: two machines may do this at the same time. */
async function create(connection: ArchiveConnection): Promise<number | string | undefined> {
  await refuseOthers(connection);
  for (const statement of SCHEMA_SQL) await createOne(connection, statement);
  await connection.query(
    `INSERT INTO agent_logbook.meta (name, value) VALUES ('version', $1) ON CONFLICT (name) DO NOTHING`,
    [String(SCHEMA_VERSION)],
  );
  return await versionOf(connection);
}

/** The columns of our tables with their types, by the tables' names, as the statements above name them. */
const OURS: ReadonlyMap<string, readonly string[]> = new Map(
  SCHEMA_SQL.flatMap((statement) => {
    const [, table, body = ''] =
      /^CREATE TABLE IF NOT EXISTS agent_logbook\.(\w+) \(\n(.*)\n\)$/s.exec(statement) ?? [];
    const columns = [
      ...body.matchAll(/^ {2}([a-z_]+) ([a-z ]+?(?:\[\])?)(?: NOT NULL| PRIMARY KEY)?,?$/gm),
    ].map(
      ([, name = '', type = '']) => `${name} ${type === 'timestamptz' ? 'timestamp with time zone' : type}`,
    );
    return table === undefined ? [] : [[table, columns] as const];
  }),
);

/** Whatever stands in the schema, also what this user may not read: relations with their columns, without indexes. */
const STANDING = `SELECT c.relname AS name, a.attname AS column_name, format_type(a.atttypid, NULL) AS type FROM pg_catalog.pg_class AS c
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
LEFT JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE n.nspname = 'agent_logbook' AND c.relkind NOT IN ('i', 'I', 't', 'c')`;

/** Throws where a schema of this name is somebody else's, before anything is made in it: one with other tables, or other columns. */
async function refuseOthers(connection: ArchiveConnection): Promise<void> {
  const { rows } = await connection.query(STANDING);
  const standing = new Map<string, Set<string>>();
  for (const { name, column_name: column, type } of rows) {
    const columns = standing.get(String(name)) ?? new Set<string>();
    standing.set(String(name), columns.add(`${String(column)} ${String(type)}`));
  }
  const other = [...standing].find(
    ([name, columns]) => OURS.get(name)?.every((each) => columns.has(each)) !== true,
  );
  if (!other) return;
  throw new ArchiveError(
    t`The schema agent_logbook in ${connection.place} is somebody else's: ${other[0]} in it is no table of the archive. Nothing was made. Name another database, or rename that schema.`,
    'refused',
  );
}

/** `IF NOT EXISTS` looks before it creates, so that of two at the same time one fails, and finds it there when it looks again. */
async function createOne(connection: ArchiveConnection, statement: string): Promise<void> {
  try {
    await connection.query(statement);
  } catch (error) {
    if (!SAME_TIME.test(codeOfCause(error))) throw error;
    await connection.query(statement);
  }
}
