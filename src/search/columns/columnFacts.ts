import {
  withKnown,
  type Listed,
  type RecordFacts,
  type SessionFacts,
  type SessionInfo,
  type SpanFacts,
  type ToolCallFacts,
  type UnitShapes,
} from '../../query/language/sessionFacts.js';
import type { SessionIdentities } from '../../query/numbers/ownership.js';
import { LineIndex } from '../../store/read/lineIndex.js';
import { ColumnRecord, ColumnToolCall, UnitColumns } from './columnUnits.js';
import { mayHaveGrams } from '../stored/columns/gramFilter.js';
import {
  spansOf,
  type SessionColumns,
  type SessionHead,
  type SessionSpans,
} from '../stored/columns/sessionColumns.js';
import { FLAG, type RecordKind, type RecordKindTable } from '../stored/columns/recordKinds.js';

/**
 * The facts of a session from its columns: the same that reading it gives, but that tool calls have no id. Records and
 * tool calls are made when they are asked for.
 */
export class ColumnFacts implements SessionFacts {
  readonly info: SessionFacts['info'];
  readonly records: Listed<RecordFacts>;
  readonly toolCalls: Listed<ToolCallFacts>;
  readonly recordKinds: UnitShapes;
  readonly #from: SessionColumns;
  readonly #units: UnitColumns;
  #spans: SessionSpans | undefined;
  #odd: ReadonlySet<number> | undefined;

  private constructor(
    from: SessionColumns,
    info: SessionInfo,
    recordKinds: readonly RecordKind[],
    readonly table: RecordKindTable,
  ) {
    const { head, blocks } = from;
    this.#from = from;
    const units = new UnitColumns(from, recordKinds);
    this.#units = units;
    this.info = { ...info, quotas: head.quotas, title: info.title ?? head.title };
    this.records = listed(head.records, (at) => new ColumnRecord(units, at));
    this.toolCalls = listed(head.toolCalls, (at) => new ColumnToolCall(units, at));
    this.recordKinds = {
      of: recordKindNumbers(from),
      keys: { table, of: recordKinds.map(({ key }) => key) },
      examples: recordKinds.map(({ example }) => example),
      hasArguments: recordKinds.map(({ row: [flags] }) => (flags & FLAG.arguments) !== 0),
      beganAt: (index) => units.time(index < head.records ? index : units.beginOf(index - head.records)),
      spent: (index) => (index < head.records ? units.spent(index) : undefined),
      span: head.span ?? undefined,
      knowsParts: blocks.length > 1,
      mayHave: (grams, positions) => mayHaveGrams(blocks, grams, positions),
    };
  }

  /** Facts over columns; undefined where these refer to something that is not there. */
  static over(from: SessionColumns, info: SessionInfo, table: RecordKindTable): ColumnFacts | undefined {
    const recordKinds = from.recordKinds.flatMap((text) => table.of(text) ?? []);
    return recordKinds.length === from.recordKinds.length && isSound(from)
      ? new ColumnFacts({ ...from, recordKinds: [] }, info, recordKinds, table)
      : undefined;
  }

  get head(): SessionHead {
    return this.#from.head;
  }

  /** The same with something else that is known of the session now. */
  with(info: Partial<SessionInfo>): ColumnFacts {
    return new ColumnFacts(this.#from, withKnown(this.info, info), this.#units.recordKinds, this.table);
  }

  /** Which of some lines, by the positions of their records, have to be parsed whatever their bytes are; undefined: any may. */
  get oddLines(): ReadonlySet<number> | undefined {
    const { odd } = this.head;
    return odd ? (this.#odd ??= new Set(odd)) : undefined;
  }

  /** The places of its lines, without the ids of their records. */
  lineIndex(): LineIndex {
    const { records } = this.#from.head;
    const [starts, lengths] = [new Float64Array(records), new Uint32Array(records)];
    for (let at = 0, end = 0; at < records; at++) {
      starts[at] = end + this.#units.cell('lineGap', at);
      lengths[at] = this.#units.cell('lineLength', at);
      end = (starts[at] ?? 0) + (lengths[at] ?? 0);
    }
    return LineIndex.of({
      starts,
      lengths,
      hashes: new Uint32Array(2 * records),
      fingerprints: new Uint32Array(records),
    });
  }

  /** By what its records are known again, as numbers of their own; undefined where nobody else tells of it. */
  identities(name: string): SessionIdentities | undefined {
    const { head, columns } = this.#from;
    const { rowIdentity, requestIdentity } = columns;
    if (!rowIdentity && !requestIdentity) return undefined;
    return {
      rows: Float64Array.from(rowIdentity ?? []),
      requests: Float64Array.from(requestIdentity ?? []),
      startedAt: head.span?.from ?? 0,
      records: head.records,
      name,
    };
  }

  get agentCalls(): readonly SpanFacts[] {
    return this.#allSpans().agentCalls;
  }

  get runs(): readonly SpanFacts[] {
    return this.#allSpans().runs;
  }

  get whole(): SpanFacts {
    return this.#allSpans().whole;
  }

  #allSpans(): SessionSpans {
    return (this.#spans ??= spansOf(this.#from));
  }
}

function listed<T>(length: number, make: (at: number) => T): Listed<T> {
  return { length, at: (at) => (at >= 0 && at < length ? make(at) : undefined) };
}

/** The numbers of the shapes of records, then of tool calls. */
function recordKindNumbers({ head, columns }: SessionColumns): Uint16Array {
  const { shape: recordKind, callShape: callRecordKind } = columns;
  // Always of one type, so that the loops over them stay fast.
  const all = new Uint16Array(head.records + head.toolCalls);
  if (recordKind) all.set(recordKind);
  if (callRecordKind) all.set(callRecordKind, head.records);
  return all;
}

/** Whether every number refers to something: a checksum only says that a file is as somebody wrote it. */
function isSound({ head, recordKinds, columns }: SessionColumns): boolean {
  const { records, toolCalls } = head;
  const isBelow = (cells: ArrayLike<number> | undefined, length: number, most: number) => {
    if (!cells) return length === 0 || most > 0;
    if (cells.length !== length) return false;
    for (let at = 0; at < length; at++) if (!((cells[at] ?? 0) < most)) return false;
    return true;
  };
  return (
    recordKinds.length < 2 ** 16 &&
    isBelow(columns.shape, records, recordKinds.length) &&
    isBelow(columns.rowIdentity, records, Infinity) &&
    isBelow(columns.requestIdentity, records, Infinity) &&
    isBelow(columns.callShape, toolCalls, recordKinds.length) &&
    isBelow(columns.askedAt, toolCalls, records) &&
    isBelow(columns.answeredAt, toolCalls, records) &&
    isBelow(columns.linked, columns.linked?.length ?? 0, Math.max(1, toolCalls))
  );
}
