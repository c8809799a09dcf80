import { costOf, type Cost } from '../../core/cost.js';
import type { TokenCount } from '../numbers/tokens.js';
import type { SessionFacts, SpanFacts, UnitFacts } from './sessionFacts.js';
import type { LargerRow } from './checkRows.js';
import type { RowKind } from './syntax.js';

/** Where a row of an answer stands: in which session, and when it began, in milliseconds since 1970 where that is known. */
interface Anywhere {
  readonly session: string;
  readonly time?: number;
}

/** A message, or another record, that matches. */
export interface RecordRow extends Anywhere {
  readonly rows: 'messages' | 'records';
  /** The number of its record; absent for a bare message. */
  readonly seq?: number;
  /** Its position among all items of the session, from 0. */
  readonly position: number;
  readonly agent?: string;
  readonly role?: string;
  readonly run?: string;
  readonly call?: string;
  /** What it adds to a sum of costs, in which each request counts once; absent where it asked nothing of a model. */
  readonly cost?: Cost;
}

/** A tool call that matches. */
export interface ToolCallRow extends Anywhere {
  readonly rows: 'toolCalls';
  /** The id that the model gave it; '' where it gave none. */
  readonly id: string;
  readonly tool: string;
  /** The record that makes it, and the one that answers it, each where it is recorded. */
  readonly seq?: number;
  readonly resultSeq?: number;
  readonly agent?: string;
  readonly run?: string;
  readonly call?: string;
  readonly isError: boolean;
  readonly durationMs?: number;
}

/** A call of an agent, a run or a session that matches. */
export interface SpanRow extends Anywhere {
  readonly rows: LargerRow;
  /** The id of the call or the run, as its records have it; of a session, its own. */
  readonly id: string;
  readonly agent: string;
  /** The numbers of its first and last record. */
  readonly firstSeq?: number;
  readonly lastSeq?: number;
  readonly durationMs?: number;
  /** Those that were reported. */
  readonly tokens?: TokenCount;
  /** What it cost itself, and with all calls of subagents below it. */
  readonly cost?: Cost;
  readonly totalCost?: Cost;
  /** Of a session. */
  readonly title?: string;
  readonly source?: string;
  readonly project?: string;
}

/** A row of an answer; its kind is the one that was asked for. */
export type QueryRow<Rows extends RowKind = RowKind> = Rows extends RecordRow['rows']
  ? RecordRow
  : Rows extends 'toolCalls'
    ? ToolCallRow
    : SpanRow;

/** The row of a session at an index that `evaluate` gave. */
export function rowAt<Rows extends RowKind>(
  facts: SessionFacts,
  rows: Rows,
  index: number,
): QueryRow<Rows> | undefined;
export function rowAt(facts: SessionFacts, rows: RowKind, index: number): QueryRow | undefined {
  const { session } = facts.info;
  if (rows === 'toolCalls') {
    const call = facts.toolCalls.at(index);
    if (!call) return undefined;
    const { id, tool, askedAt, answeredAt, isError, durationMs } = call;
    return defined({
      rows,
      session,
      id,
      tool,
      isError,
      durationMs,
      ...positionOf(call),
      seq: askedAt === undefined ? undefined : facts.records.at(askedAt)?.seq,
      resultSeq: answeredAt === undefined ? undefined : facts.records.at(answeredAt)?.seq,
    });
  }
  if (rows === 'messages' || rows === 'records') {
    const record = facts.records.at(index);
    if (!record) return undefined;
    return defined({
      rows,
      session,
      ...positionOf(record),
      seq: record.seq,
      position: index,
      role: record.role,
      cost: record.spent && costOf(record.spent.cost, record.spent.requests),
    });
  }
  const spans = { agentCalls: facts.agentCalls, runs: facts.runs, sessions: [facts.whole] };
  const span = spans[rows].at(index);
  return span && spanRow(facts, rows, span);
}

function spanRow({ records, info }: SessionFacts, rows: SpanRow['rows'], span: SpanFacts): SpanRow {
  const { id, agent, firstPosition, lastPosition, beganAt, durationMs, tokens, cost, totalCost } = span;
  const { session, title, source, project } = info;
  return defined({
    rows,
    session,
    time: beganAt,
    id,
    agent,
    durationMs,
    tokens,
    cost,
    totalCost,
    firstSeq: records.at(firstPosition)?.seq,
    lastSeq: records.at(lastPosition)?.seq,
    ...(rows === 'sessions' && { title, source, project }),
  });
}

function positionOf({ agent, runId, callId, beganAt }: UnitFacts) {
  return { agent, run: runId, call: callId, time: beganAt };
}

type Defined<T> = { [Key in keyof T as undefined extends T[Key] ? never : Key]: T[Key] } & {
  [Key in keyof T as undefined extends T[Key] ? Key : never]?: Exclude<T[Key], undefined>;
};

/** The same without what is not known. */
function defined<T extends object>(row: T): Defined<T> {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined)) as Defined<T>;
}
