/**
 * The types of columns. `text`: a UTF-8 string; `whole`: a 64-bit integer; `number`: a 64-bit floating-point number;
 * `boolean`; `time`: milliseconds since 1970 in UTC, as a timestamp.
 */
export type ColumnType = 'text' | 'whole' | 'number' | 'boolean' | 'time';

/** A column of a table of an export. */
export interface TableColumn {
  readonly type: ColumnType;
  /** What its values are counted in; absent for plain values. */
  readonly unit?: string;
  /** What it says, in a phrase for the documentation. */
  readonly about: string;
  /** When it has no value, in a phrase for the documentation; absent where it always has one. */
  readonly none?: string;
}

const session = { type: 'text', about: 'the id of the session' } as const;
const place = {
  run: { type: 'text', about: 'the id of the run', none: 'it is not recorded' },
  call: { type: 'text', about: 'the id of the call of an agent', none: 'it is not recorded' },
  parent_call: {
    type: 'text',
    about: 'the id of the call that dispatched this one',
    none: 'a person began it, or it is not recorded',
  },
  agent: { type: 'text', about: 'the agent that speaks or works', none: 'it is not recorded' },
  depth: {
    type: 'whole',
    about: 'how deep the call of the agent is nested, from 0',
    none: 'it is not recorded',
  },
} as const;

/**
 * The tables of an export for SQL, by their names, with their columns in order: what is written, what rows must hold by
 * type, and what `docs/sql.md` lists are all made from here.
 */
export const TABLES = {
  sessions: {
    session,
    title: { type: 'text', about: 'the title', none: 'it has none' },
    source: { type: 'text', about: 'the tool that recorded it', none: 'it was recorded here' },
    project: { type: 'text', about: 'the project that its agents worked in', none: 'it is not recorded' },
    started_at: { type: 'time', about: 'the earliest time in it', none: 'no time is recorded' },
    ended_at: { type: 'time', about: 'the latest time in it', none: 'no time is recorded' },
    messages: { type: 'whole', about: 'its rows in `messages`' },
    calls: { type: 'whole', about: 'its rows in `calls`' },
    requests: { type: 'whole', about: 'its rows in `requests`' },
    errors: { type: 'whole', about: 'its errors, of which each counts once, as in every view' },
    span_ms: { type: 'number', unit: 'ms', about: 'from its first record of work to the last one' },
    active_ms: {
      type: 'number',
      unit: 'ms',
      about: 'its span without gaps of more than five minutes between two records',
    },
    damaged: { type: 'whole', unit: 'lines', about: 'places in its journal that cannot be read' },
    unread: {
      type: 'text',
      about: 'why it could not be read to its end',
      none: 'all of it was read',
    },
  },
  messages: {
    session,
    message: { type: 'whole', about: 'the number of the message in the export of its session, from 0' },
    seq: { type: 'whole', about: 'the number of its record', none: 'it has no record' },
    time: { type: 'time', about: 'when it was recorded', none: 'it is not recorded' },
    ...place,
    role: { type: 'text', about: 'who speaks: `user`, `assistant`, `tool`, `system` …' },
    model: { type: 'text', about: 'the model that answered', none: 'it is no answer of a model' },
    content: { type: 'text', about: 'what it says', none: 'it says nothing' },
    reasoning: { type: 'text', about: 'the model’s reasoning', none: 'none is recorded' },
    refusal: { type: 'text', about: 'why the model refused', none: 'it did not' },
    calls: { type: 'whole', about: 'how many tool calls it makes' },
    tool: { type: 'text', about: 'the tool whose result it is', none: 'it is none, or not known' },
    tool_call_id: { type: 'text', about: 'the id of the tool call that it answers', none: 'it answers none' },
    duration_ms: {
      type: 'number',
      unit: 'ms',
      about: 'how long it took, as it says itself',
      none: 'it does not say',
    },
    is_error: { type: 'boolean', about: 'whether it counts as an error everywhere' },
    partial: { type: 'text', about: 'what cut it off: `error`, `cancelled`, `length`', none: 'it is whole' },
  },
  calls: {
    session,
    call_number: { type: 'whole', about: 'the number of the tool call in its session, from 0' },
    seq: {
      type: 'whole',
      about: 'the number of the record that makes it',
      none: 'only its result is recorded, or it has no record',
    },
    result_seq: { type: 'whole', about: 'the number of the record of its result', none: 'there is none' },
    tool_call_id: { type: 'text', about: 'its id', none: 'it has none' },
    time: { type: 'time', about: 'when it was made', none: 'it is not recorded' },
    answered_at: { type: 'time', about: 'when its result was recorded', none: 'it is not recorded' },
    ...place,
    tool: { type: 'text', about: 'the tool' },
    arguments: {
      type: 'text',
      about: 'its arguments as the model wrote them, nearly always JSON',
      none: 'it has none',
    },
    result: {
      type: 'text',
      about: 'the text of its result',
      none: 'there is none, or it says nothing',
    },
    duration_ms: {
      type: 'number',
      unit: 'ms',
      about: 'how long the tool took, without waiting for a person',
      none: 'it is not known',
    },
    waited_ms: { type: 'number', unit: 'ms', about: 'how long a person was waited for' },
    state: {
      type: 'text',
      about: 'what became of it: `done`, `failed`, `denied`, `cancelled`, `timedOut`, `open`',
    },
    is_error: { type: 'boolean', about: 'whether it failed or took too long' },
    decision: { type: 'text', about: '`approved` or `denied`', none: 'nobody had to decide' },
    decided_by: {
      type: 'text',
      about: 'who decided: `user`, `policy`, `remembered`, `rule`, `hook`, `cancel`',
      none: 'nobody had to decide',
    },
    child_call: {
      type: 'text',
      about: 'the call of an agent that it dispatched',
      none: 'it dispatched none',
    },
  },
  requests: {
    session,
    seq: { type: 'whole', about: 'the number of the record that tells of it', none: 'it has no record' },
    told_by: {
      type: 'text',
      about:
        'what tells of it: a `request` that was recorded, a `message` with its usage or without any, or the `end` of a call, which is the sum of all its requests',
    },
    time: { type: 'time', about: 'when it ended', none: 'it is not recorded' },
    ...place,
    model: { type: 'text', about: 'the model', none: 'it is not recorded' },
    requests: {
      type: 'whole',
      about:
        'how many requests it counts as, so that their sum is the number of every view; 0 for one that was refused before it used anything',
    },
    endpoint: { type: 'text', about: 'the address that was asked', none: 'it is not recorded' },
    attempt: { type: 'whole', about: 'the number of the attempt, from 1', none: 'it is not recorded' },
    duration_ms: { type: 'number', unit: 'ms', about: 'how long it took', none: 'it is not recorded' },
    first_token_ms: {
      type: 'number',
      unit: 'ms',
      about: 'how long until its first token',
      none: 'it is not recorded',
    },
    finish_reason: { type: 'text', about: 'why the model stopped', none: 'it is not recorded' },
    input_tokens: {
      type: 'whole',
      unit: 'tokens',
      about: 'what went in, with what came from a cache',
      none: 'nobody reported it',
    },
    output_tokens: {
      type: 'whole',
      unit: 'tokens',
      about: 'what came out, with reasoning',
      none: 'nobody reported it',
    },
    cached_input_tokens: {
      type: 'whole',
      unit: 'tokens',
      about: 'of what went in, what came from a cache',
      none: 'nobody reported it',
    },
    cache_write_tokens: {
      type: 'whole',
      unit: 'tokens',
      about: 'of what went in, what was written to a cache',
      none: 'nobody reported it',
    },
    reasoning_tokens: {
      type: 'whole',
      unit: 'tokens',
      about: 'of what came out, reasoning',
      none: 'nobody reported it',
    },
    web_searches: {
      type: 'whole',
      about: 'searches of the web that the provider made and charges',
      none: 'nobody reported it',
    },
    tokens_estimated: { type: 'boolean', about: 'whether the tokens were counted here instead of reported' },
    cost_usd: { type: 'number', unit: 'US dollars', about: 'what it cost', none: 'it is not known' },
    cost_provenance: {
      type: 'text',
      about: 'how the cost is known: `exact`, `priced`, `estimated`, `unknown`',
      none: 'it used nothing',
    },
    prices: {
      type: 'text',
      about: 'which tables the price is from',
      none: 'the source recorded the money, or the cost is not known',
    },
    error: { type: 'text', about: 'why it failed', none: 'it did not' },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, TableColumn>>>>;

/** The name of a table. */
export type TableName = keyof typeof TABLES;

/** The names of all tables, in the order of the documentation. */
export const TABLE_NAMES = Object.keys(TABLES) as TableName[];

interface Values {
  readonly text: string;
  readonly whole: number;
  readonly number: number;
  readonly boolean: boolean;
  readonly time: number;
}

type ValueOf<C extends TableColumn> =
  | Values[C['type']]
  | (C extends { readonly none: string } ? undefined : never);

/** A row of a table: each column has a value of its type, or undefined where the column may have none. */
export type TableRow<Name extends TableName> = {
  readonly [Column in keyof (typeof TABLES)[Name]]: (typeof TABLES)[Name][Column] extends TableColumn
    ? ValueOf<(typeof TABLES)[Name][Column]>
    : never;
};

/** The columns of a table in order, each with its name. */
export function columnsOf(table: TableName): readonly (readonly [string, TableColumn])[] {
  return Object.entries(TABLES[table]);
}

/** The part of the documentation that lists the columns of all tables, in Markdown. */
export function columnsPage(): string {
  return TABLE_NAMES.map((table) => {
    const rows = columnsOf(table).map(
      ([name, { type, unit, about, none }]) =>
        `| \`${name}\` | ${TYPE_WORDS[type]} | ${unit ?? ''} | ${about} | ${none ?? ''} |`,
    );
    return [
      `### \`${table}.parquet\``,
      '',
      '| column | type | unit | what it says | null where |',
      '| --- | --- | --- | --- | --- |',
      ...rows,
      '',
    ].join('\n');
  }).join('\n');
}

/** The types as DuckDB names them. */
export const TYPE_WORDS: Readonly<Record<ColumnType, string>> = {
  text: 'VARCHAR',
  whole: 'BIGINT',
  number: 'DOUBLE',
  boolean: 'BOOLEAN',
  time: 'TIMESTAMP WITH TIME ZONE',
};
