import { t } from '../core/l10n.js';
import type { ArchiveConnection } from './archiveConnection.js';
import { ArchiveError } from './archiveError.js';

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

/** Undefined tables, schemas and columns, as servers name them. */
const MISSING = /\b(?:42P01|3F000|42703)\b/;
/** Somebody else creates the same at this moment: the table, its schema, or the row type that belongs to it (42710). */
const SAME_TIME = /\b(?:23505|42P07|42P06|42710|XX000|40001)\b/;

/**
 * Makes sure that the tables are there and of this version. `mayCreate`: whether they are made where they are missing.
 * Throws an ArchiveError that says what to do.
 */
export async function checkSchema(connection: ArchiveConnection, mayCreate: boolean): Promise<void> {
  const version = (await versionOf(connection)) ?? (mayCreate ? await create(connection) : undefined);
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

async function versionOf(connection: ArchiveConnection): Promise<number | undefined> {
  try {
    const { rows } = await connection.query(`SELECT value FROM agent_logbook.meta WHERE name = 'version'`);
    return rows[0] ? Number(rows[0].value) : undefined;
  } catch (error) {
    if (MISSING.test(codeOf(error))) return undefined;
    throw error;
  }
}

/** The version that is there afterwards: two machines may do this at the same time. */
async function create(connection: ArchiveConnection): Promise<number | undefined> {
  for (const statement of SCHEMA_SQL) await createOne(connection, statement);
  await connection.query(
    `INSERT INTO agent_logbook.meta (name, value) VALUES ('version', $1) ON CONFLICT (name) DO NOTHING`,
    [String(SCHEMA_VERSION)],
  );
  return await versionOf(connection);
}

/** `IF NOT EXISTS` looks before it creates, so that of two at the same time one fails, and finds it there when it looks again. */
async function createOne(connection: ArchiveConnection, statement: string): Promise<void> {
  try {
    await connection.query(statement);
  } catch (error) {
    if (!SAME_TIME.test(codeOf(error))) throw error;
    await connection.query(statement);
  }
}

function codeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause as { readonly code?: unknown } | undefined) : undefined;
  return typeof cause?.code === 'string' ? cause.code : '';
}
