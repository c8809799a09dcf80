import type { CallNode, CallTree } from '../../../query/numbers/callTree.js';
import { GrowingColumn } from '../../../query/numbers/growingColumn.js';

/** The kinds of rows; `none` is not a row, `raw` one of what an import kept as it was. */
export const ROW = { none: 0, message: 1, tool: 2, dispatch: 3, note: 4, raw: 5 } as const;

/** How many records besides its own one row of a failing model tells of; a hostile transcript may have any number. */
const MAX_OF_FAILURE = 20;

/**
 * The rows of a transcript and the records of each: a few numbers per row and no text, so that a transcript of any size
 * fits into memory. A row's number never changes. Written by `RowPlanner`.
 */
export class RowIndex {
  /** The number of records added, and how many of them are messages. */
  records = 0;
  messages = 0;
  /** How many rows are of raw events. */
  rawRows = 0;
  readonly #kind = new GrowingColumn();
  readonly #position = new GrowingColumn();
  /** For tool and dispatch rows: the index of the call in its message. */
  readonly #sub = new GrowingColumn();
  readonly #call = new GrowingColumn();
  /** For tool and dispatch rows: the index of the tool's name in `#tools`, plus 1. */
  readonly #tool = new GrowingColumn();
  readonly #tools: string[] = [];
  readonly #toolIndex = new Map<string, number>();
  /** For tool and dispatch rows: the position of the result, plus 1. */
  readonly #result = new GrowingColumn();
  /** For the first row of a reply: the position of its request, plus 1. */
  readonly #request = new GrowingColumn();
  /** For each record: its first row, or the row that it is shown in, plus 1. */
  readonly #rowOfRecord = new GrowingColumn();
  readonly #dispatches = new Map<number, number>();
  readonly #approvals = new Map<number, number>();
  readonly #failures = new Map<number, number>();
  /** For the row of a failing model: the positions of the further records that tell of the same failure. */
  readonly #ofFailure = new Map<number, number[]>();
  /** For each call, by its index: its rows, in the order of the transcript. */
  readonly #rowsOfCall: number[][] = [];
  #changed = new Set<number>();
  #rows = 0;

  /** `calls`: the calls that the rows are of. */
  constructor(readonly calls: CallTree) {}

  /** The number of rows. */
  get length(): number {
    return this.#rows;
  }

  kind = (row: number): number => this.#kind.get(row);
  position = (row: number): number => this.#position.get(row);
  sub = (row: number): number => this.#sub.get(row);
  callOf = (row: number): CallNode | undefined => this.calls.all[this.#call.get(row)];
  /** The name of the tool that a row is a call of. */
  tool = (row: number): string | undefined => this.#tools[this.#tool.get(row) - 1];
  /** The position of the row's result, if there is one. */
  result = (row: number): number | undefined => minusOne(this.#result.get(row));
  /** The position of the request that a row's message answers, if there is one. */
  request = (row: number): number | undefined => minusOne(this.#request.get(row));
  /** The position of the approval of a row's tool call, if there is one. */
  approval = (row: number): number | undefined => this.#approvals.get(row);
  /** The position of the dispatch record of a dispatch row. */
  dispatch = (row: number): number | undefined => this.#dispatches.get(row);
  /** The positions of the further records of the failure of a model that a row tells of. */
  ofFailure = (row: number): readonly number[] => this.#ofFailure.get(row) ?? [];
  /** The first row of a record, or the row that it is shown in; undefined where it is not shown. */
  rowOfRecord = (position: number): number | undefined => minusOne(this.#rowOfRecord.get(position));

  /** The row that is counted as the failure that a record tells of: that of the record, unless another one is known. */
  rowOfFailure = (position: number): number | undefined =>
    this.#failures.get(position) ?? this.rowOfRecord(position);

  /** Notes that the failure that a record tells of is counted at a row of another one. */
  setFailure(position: number, row: number): void {
    this.#failures.set(position, row);
  }

  /** The row of the dispatch that started a call; undefined for calls whose rows are in the main line. */
  ownerOf({ dispatchedAt }: CallNode): number | undefined {
    return dispatchedAt === undefined ? undefined : this.rowOfRecord(dispatchedAt);
  }

  /** The rows of a call, in the order of the transcript. */
  rowsOf({ index }: CallNode): readonly number[] {
    return this.#rowsOfCall[index] ?? [];
  }

  /** The end of the rows that show a record, starting at `first`: its own, or the one that it is shown in. */
  endOfRows(position: number, first: number): number {
    let end = first + 1;
    if (this.#position.get(first) !== position) return end;
    while (end < this.#rows && this.#position.get(end) === position) end++;
    return end;
  }

  /** The rows that have changed since the last call. */
  takeChanged(): ReadonlySet<number> {
    const changed = this.#changed;
    this.#changed = new Set();
    return changed;
  }

  /** Adds a row of the record at `position`; for a tool call, `sub` is its index in the message. */
  addRow(kind: number, position: number, call: CallNode, sub = 0): number {
    const row = this.#rows++;
    if (kind === ROW.raw) this.rawRows++;
    this.#kind.set(row, kind);
    this.#position.set(row, position);
    this.#call.set(row, call.index);
    if (sub > 0) this.#sub.set(row, sub);
    if (this.#rowOfRecord.get(position) === 0) this.#rowOfRecord.set(position, row + 1);
    const rows = this.#rowsOfCall[call.index];
    if (rows) rows.push(row);
    else this.#rowsOfCall[call.index] = [row];
    return row;
  }

  markChanged(row: number): void {
    this.#changed.add(row);
  }

  setTool(row: number, tool: string): void {
    this.#tool.set(row, this.#toolNumber(tool));
  }

  setResult(row: number, position: number): void {
    this.#result.set(row, position + 1);
    this.#showIn(row, position);
  }

  setRequest(row: number, position: number): void {
    this.#request.set(row, position + 1);
    this.#showIn(row, position);
  }

  setApproval(row: number, position: number): void {
    this.#approvals.set(row, position);
    this.#showIn(row, position);
  }

  /** Shows a further record of the failure of a model in its row; false where that has as many as one row can tell of. */
  addToFailure(row: number, position: number): boolean {
    const positions = this.#ofFailure.get(row) ?? [];
    if (positions.length === MAX_OF_FAILURE) return false;
    this.#ofFailure.set(row, positions);
    positions.push(position);
    this.#showIn(row, position);
    return true;
  }

  /** Turns the card of a tool call, or the record's own row, into a dispatch card. */
  setDispatch(row: number, position: number): void {
    this.#kind.set(row, ROW.dispatch);
    this.#dispatches.set(row, position);
    this.#showIn(row, position);
  }

  #showIn(row: number, position: number): void {
    this.#rowOfRecord.set(position, row + 1);
    this.#changed.add(row);
  }

  #toolNumber(tool: string): number {
    const known = this.#toolIndex.get(tool);
    if (known !== undefined) return known;
    const number = this.#tools.push(tool);
    this.#toolIndex.set(tool, number);
    return number;
  }
}

function minusOne(stored: number): number | undefined {
  return stored === 0 ? undefined : stored - 1;
}
