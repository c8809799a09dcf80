import { CallTree, type CallNode } from '../folds/callTree.js';
import { GrowingColumn } from '../folds/growingColumn.js';

/** What a row is made of; `none` is no row. */
export const ROW = { none: 0, message: 1, tool: 2, dispatch: 3, note: 4 } as const;

/**
 * Which rows a transcript has and what each is made of: a few numbers a row, never its text, so that a transcript of
 * any size fits. Rows keep their number for ever. `RowFold` writes it.
 */
export class RowIndex {
  readonly calls = new CallTree();
  /** How many records were taken in, and how many of them are messages. */
  records = 0;
  messages = 0;
  readonly #kind = new GrowingColumn();
  readonly #position = new GrowingColumn();
  /** Of tool and dispatch rows: which of the message's calls. */
  readonly #sub = new GrowingColumn();
  readonly #call = new GrowingColumn();
  /** Of tool and dispatch rows: the tool's name, as its index in `#tools`, plus 1. */
  readonly #tool = new GrowingColumn();
  readonly #tools: string[] = [];
  readonly #toolIndex = new Map<string, number>();
  /** Of tool and dispatch rows: the position of the result, plus 1. */
  readonly #result = new GrowingColumn();
  /** Of the first row of a reply: the position of its request, plus 1. */
  readonly #request = new GrowingColumn();
  /** Of each record: its first row, or the row that it is shown in, plus 1. */
  readonly #rowOfRecord = new GrowingColumn();
  readonly #dispatches = new Map<number, number>();
  readonly #approvals = new Map<number, number>();
  #changed = new Set<number>();
  #rows = 0;

  /** How many rows there are. */
  get length(): number {
    return this.#rows;
  }

  kind = (row: number): number => this.#kind.get(row);
  position = (row: number): number => this.#position.get(row);
  sub = (row: number): number => this.#sub.get(row);
  callOf = (row: number): CallNode | undefined => this.calls.all[this.#call.get(row)];
  /** The name of the tool that a row is a call of. */
  tool = (row: number): string | undefined => this.#tools[this.#tool.get(row) - 1];
  /** Where the row's result stands, if there is one. */
  result = (row: number): number | undefined => minusOne(this.#result.get(row));
  /** Where the request stands that a row's message answers, if there is one. */
  request = (row: number): number | undefined => minusOne(this.#request.get(row));
  /** Where it stands how a tool call was allowed or refused, if it is known. */
  approval = (row: number): number | undefined => this.#approvals.get(row);
  /** Where the dispatch record of a dispatch row stands. */
  dispatch = (row: number): number | undefined => this.#dispatches.get(row);
  /** The first row of a record, or the row that it is shown in; undefined where it is not shown. */
  rowOfRecord = (position: number): number | undefined => minusOne(this.#rowOfRecord.get(position));

  /** Where the rows end that show a record, of which `first` is the first: its own, or the one that it is shown in. */
  endOfRows(position: number, first: number): number {
    let end = first + 1;
    if (this.#position.get(first) !== position) return end;
    while (end < this.#rows && this.#position.get(end) === position) end++;
    return end;
  }

  /** Rows that look different since this was asked last. */
  takeChanged(): ReadonlySet<number> {
    const changed = this.#changed;
    this.#changed = new Set();
    return changed;
  }

  /** Adds a row of the record at `position`; of several rows of one record `sub` tells which call of a tool it is. */
  addRow(kind: number, position: number, call: CallNode, sub = 0): number {
    const row = this.#rows++;
    this.#kind.set(row, kind);
    this.#position.set(row, position);
    this.#call.set(row, call.index);
    if (sub > 0) this.#sub.set(row, sub);
    if (this.#rowOfRecord.get(position) === 0) this.#rowOfRecord.set(position, row + 1);
    call.rows.push(row);
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

  /** Makes the card of a tool call, or the record's own row, a dispatch card. */
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
