import type { Facts } from '../numbers/facts.js';
import { ToolPairing } from '../numbers/toolPairing.js';
import { CodeColumn, type Codes, type ColumnValue } from './codeColumn.js';
import { firstAtLeast } from './firstAtLeast.js';

/** What is asked of the columns: of each that is named, which of its values are wanted. All of it must hold. */
export interface StructureTests {
  /** Of the role: undefined for an item without a message, null for a message without one. */
  readonly role?: (role: string | null | undefined) => boolean;
  /** Of the tools that a message calls, or whose call it answers, or that an approval is about. */
  readonly tools?: (names: readonly string[]) => boolean;
  readonly failed?: (isFailure: boolean) => boolean;
  readonly agent?: (agent: string | undefined) => boolean;
  readonly depth?: (depth: number | undefined) => boolean;
  readonly call?: (call: string | undefined) => boolean;
}

/** Gives the positions from `from` up to, not including, `to` at which tests hold; valid until the next call. */
export type Selection = (from: number, to: number) => Uint32Array;

/** A column and the codes that it may have. */
interface Test extends Codes {
  readonly column: Pick<CodeColumn<never>, 'cells' | 'rowsOf'>;
}

/** How many ids of tool calls are remembered for each call of an agent, as for the rows of a panel. */
const REMEMBERED_CALLS = 10_000;

/** The rough cost of pairing a call with its result, in bytes. */
const CALL_BYTES = 120;

/**
 * Everything that filters test besides text (role, tools, failure and place) in columns of a few bytes per item. Items
 * are added in order and are not kept.
 */
export class StructureColumns {
  /** Undefined for an item without a message, null for a message without a role. */
  readonly #roles = new CodeColumn<string | null | undefined>();
  readonly #failed = new CodeColumn<boolean>();
  /** The names of the tools that a message calls, or whose call it answers, as a JSON array; '' for none. */
  readonly #tools = new CodeColumn<string>();
  readonly #agents = new CodeColumn<string | undefined>();
  readonly #depths = new CodeColumn<number | undefined>();
  readonly #calls = new CodeColumn<string | undefined>();
  /** The names of tool calls, for the results that answer them. */
  readonly #pairing = new ToolPairing<string>(REMEMBERED_CALLS);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** The rough size of the columns in memory, in bytes. */
  get bytes(): number {
    const columns = [this.#roles, this.#failed, this.#tools, this.#agents, this.#depths, this.#calls];
    return columns.reduce((sum, { bytes }) => sum + bytes, CALL_BYTES * this.#pairing.size);
  }

  add(facts: Facts): void {
    this.#roles.add(facts.role);
    this.#failed.add(facts.isFailure);
    this.#tools.add(this.#toolsOf(facts));
    this.#length++;
    const { agent, depth, call } = facts.place;
    this.#agents.add(agent);
    this.#depths.add(depth);
    this.#calls.add(call);
  }

  /** Prepares what is asked for the items added so far. */
  select(asked: StructureTests): Selection {
    // A test for a single code goes first: its rows are known without looking at the others.
    const tests = this.#testsOf(asked).sort(
      (a, b) => Number(b.only !== undefined) - Number(a.only !== undefined),
    );
    let room = new Uint32Array(0);
    return (from, to) => {
      const end = Math.min(to, this.#length);
      const [first, ...others] = tests;
      if (first?.only !== undefined && others.length === 0) return rowsBetween(first, first.only, from, end);
      if (room.length < end - from) room = new Uint32Array(end - from);
      let kept = first ? pick(first, from, end, room) : all(from, end, room);
      for (const test of others) kept = keep(test, kept, room);
      return room.subarray(0, kept);
    };
  }

  #testsOf({ role, tools, failed, agent, depth, call }: StructureTests): Test[] {
    const tests: Test[] = [];
    const ask = <Value extends ColumnValue>(
      column: CodeColumn<Value>,
      isWanted: ((value: Value) => boolean) | undefined,
    ) => {
      const codes = isWanted && column.codesOf(isWanted);
      if (codes) tests.push({ column, ...codes });
    };
    ask(this.#tools, tools && ((names) => tools(namesIn(names))));
    ask(this.#failed, failed);
    ask(this.#roles, role);
    ask(this.#agents, agent);
    ask(this.#depths, depth);
    ask(this.#calls, call);
    return tests;
  }

  #toolsOf({ type, role, calls, answers, toolName, place: { call = '' } }: Facts): string {
    if (role === 'tool') {
      const called = this.#pairing.answer(call, answers)?.call ?? '';
      return listOf(called === '' || called === toolName ? [toolName] : [called, toolName]);
    }
    if (role === undefined && type === 'approval') return listOf([toolName]);
    if (role === undefined && type === 'callEnd') this.#pairing.end(call);
    if (calls.length === 0) return '';
    for (const { id, name } of calls) this.#pairing.open(call, id, this.#length, name);
    return listOf(calls.map(({ name }) => name));
  }
}

function listOf(names: readonly string[]): string {
  const distinct = new Set(names);
  distinct.delete('');
  return distinct.size === 0 ? '' : JSON.stringify([...distinct]);
}

function namesIn(list: string): readonly string[] {
  return list === '' ? [] : (JSON.parse(list) as string[]);
}

/** The rows of one code from `from` up to, not including, `to`. */
function rowsBetween({ column }: Test, code: number, from: number, to: number): Uint32Array {
  const rows = column.rowsOf(code);
  return rows.subarray(firstAtLeast(rows, from), firstAtLeast(rows, to));
}

/**
 * Writes the positions of a range that pass a test and gives their number. Branchless, because an unpredictable branch
 * would cost more than everything else here.
 */
function pick({ column, marks }: Test, from: number, to: number, into: Uint32Array): number {
  const { cells } = column;
  let kept = 0;
  for (let at = from; at < to; at++) {
    into[kept] = at;
    kept += marks[cells[at] ?? 0] ?? 0;
  }
  return kept;
}

/** Keeps those of the first `count` positions that pass a test, in place, and gives their number. */
function keep({ column, marks }: Test, count: number, positions: Uint32Array): number {
  const { cells } = column;
  let kept = 0;
  for (let at = 0; at < count; at++) {
    const position = positions[at] ?? 0;
    positions[kept] = position;
    kept += marks[cells[position] ?? 0] ?? 0;
  }
  return kept;
}

function all(from: number, to: number, into: Uint32Array): number {
  for (let at = from; at < to; at++) into[at - from] = at;
  return Math.max(0, to - from);
}
