import { textOr } from '../../../query/numbers/values.js';
import type { UnknownRecord } from '../../../core/record.js';
import type { CallNode } from '../../../query/numbers/callTree.js';
import type { RecordReader } from '../recordReader.js';
import type { RowIndex } from './rowIndex.js';

/** The records that a row is built from; loosely typed, because they are untrusted. */
export interface RowSources {
  readonly row: number;
  readonly position: number;
  readonly kind: number;
  readonly sub: number;
  /** Whether it is the first row of its record, which shows the tokens of the whole record. */
  readonly isFirst: boolean;
  readonly call: CallNode;
  /** The colour of the agent that the record is of. */
  readonly hue: number;
  readonly record: UnknownRecord;
  readonly result?: UnknownRecord;
  readonly request?: UnknownRecord;
  readonly approval?: UnknownRecord;
  readonly dispatch?: UnknownRecord;
  /** For the row of a failing model: the further records that tell of the same failure, in order. */
  readonly ofFailure?: readonly UnknownRecord[];
  /** For a dispatch row: the call that it started, once that has begun. */
  readonly child?: CallNode;
  /** How many rows that call has. */
  readonly childRows: number;
}

/** Reads the sources of rows, in order; a row whose record cannot be read is left out. */
export async function readSources(
  rows: readonly number[],
  index: RowIndex,
  reader: RecordReader,
  hueOf: (agent: string) => number,
): Promise<RowSources[]> {
  const wanted = rows.flatMap((row) => positionsOf(row, index));
  const records = (await reader.read(wanted)) as ReadonlyMap<number, UnknownRecord>;
  const at = (position: number | undefined) => (position === undefined ? undefined : records.get(position));
  return rows.flatMap((row) => {
    const record = records.get(index.position(row));
    const call = index.callOf(row);
    if (!record || !call) return [];
    const result = at(index.result(row));
    const request = at(index.request(row));
    const approval = at(index.approval(row));
    const dispatch = at(index.dispatch(row));
    const ofFailure = index.ofFailure(row).flatMap((position) => at(position) ?? []);
    const child = dispatch && index.calls.find(textOr(dispatch.childCall));
    return {
      row,
      position: index.position(row),
      kind: index.kind(row),
      sub: index.sub(row),
      isFirst: index.rowOfRecord(index.position(row)) === row,
      call,
      hue: hueOf(record.agent),
      record,
      ...(result && { result }),
      ...(request && { request }),
      ...(approval && { approval }),
      ...(dispatch && { dispatch }),
      ...(ofFailure.length > 0 && { ofFailure }),
      ...(child && index.ownerOf(child) === row && { child }),
      childRows: child ? index.rowsOf(child).length : 0,
    };
  });
}

function positionsOf(row: number, index: RowIndex): number[] {
  return [
    index.position(row),
    index.result(row),
    index.request(row),
    index.approval(row),
    index.dispatch(row),
    ...index.ofFailure(row),
  ].filter((position) => position !== undefined);
}
