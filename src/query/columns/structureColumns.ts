import { setOf, type FilterCriteria } from '../criteria.js';
import { isFailed } from '../failures.js';
import { envelopeOf, messageIn, placeOf } from '../queryItem.js';
import { eachCall, resultNameOf } from '../toolCalls.js';
import { ToolNames } from '../toolNames.js';
import { CodeColumn, type Codes } from './codeColumn.js';
import { firstAtLeast } from './firstAtLeast.js';

/** The positions from `from` up to, not including, `to` at which criteria hold, texts aside; valid until the next call. */
export type Selection = (from: number, to: number) => Uint32Array;

/** A column, and the codes of which it must have one. */
interface Test extends Codes {
  readonly column: Pick<CodeColumn<never>, 'cells' | 'rowsOf'>;
}

/** What an open call costs the pairing of results, in bytes, roughly. */
const CALL_BYTES = 120;

/**
 * What criteria ask of items besides their text, in columns of a few bytes an item: role, tools, failure and place. Items
 * are added in order and are not kept.
 */
export class StructureColumns {
  /** Undefined for what is no message, null for a message that names no role. */
  readonly #roles = new CodeColumn<string | null | undefined>();
  readonly #failed = new CodeColumn<boolean>();
  /** The names of the tools that a message calls, or whose call it answers, as a JSON list; '' for none. */
  readonly #tools = new CodeColumn<string>();
  readonly #agents = new CodeColumn<string | undefined>();
  readonly #depths = new CodeColumn<number | undefined>();
  readonly #runs = new CodeColumn<string | undefined>();
  readonly #calls = new CodeColumn<string | undefined>();
  readonly #names = new ToolNames();
  #toolCalls = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** What the columns take in memory, roughly. */
  get bytes(): number {
    const columns = [
      this.#roles,
      this.#failed,
      this.#tools,
      this.#agents,
      this.#depths,
      this.#runs,
      this.#calls,
    ];
    return columns.reduce((sum, { bytes }) => sum + bytes, CALL_BYTES * this.#toolCalls);
  }

  add(item: unknown): void {
    this.#length++;
    const message = messageIn(item);
    this.#roles.add(message && (typeof message.role === 'string' ? message.role : null));
    this.#failed.add(isFailed(item));
    this.#tools.add(this.#toolsOf(item));
    const { agent, depth, run, call } = placeOf(item);
    this.#agents.add(agent);
    this.#depths.add(depth);
    this.#runs.add(run);
    this.#calls.add(call);
  }

  /** Makes criteria ready to be asked of the items that are there now; their text is left out. */
  select(criteria: FilterCriteria): Selection {
    // What a single code has is known without a look at the others.
    const tests = this.#testsOf(criteria).sort(
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

  #testsOf({ role, toolName, errorsOnly, agent, depth, run, call }: FilterCriteria): Test[] {
    const [roles, tools, agents] = [setOf(role), setOf(toolName), setOf(agent)];
    const tests: Test[] = [];
    const ask = (column: Test['column'], codes: Codes | undefined) => {
      if (codes) tests.push({ column, ...codes });
    };
    if (tools)
      ask(
        this.#tools,
        this.#tools.codesOf((names) => hasOneOf(names, tools)),
      );
    if (errorsOnly)
      ask(
        this.#failed,
        this.#failed.codesOf((failed) => failed),
      );
    if (roles)
      ask(
        this.#roles,
        this.#roles.codesOf((each) => typeof each === 'string' && roles.has(each)),
      );
    else if (tools || !errorsOnly)
      ask(
        this.#roles,
        this.#roles.codesOf((each) => each !== undefined),
      );
    if (agents)
      ask(
        this.#agents,
        this.#agents.codesOf((each) => each !== undefined && agents.has(each)),
      );
    if (depth !== undefined)
      ask(
        this.#depths,
        this.#depths.codesOf((each) => each === depth),
      );
    if (run !== undefined)
      ask(
        this.#runs,
        this.#runs.codesOf((each) => each === run),
      );
    if (call !== undefined)
      ask(
        this.#calls,
        this.#calls.codesOf((each) => each === call),
      );
    return tests;
  }

  #toolsOf(item: unknown): string {
    const answered = this.#names.next(item);
    const message = messageIn(item);
    const names = new Set<string>();
    if (message?.role === 'tool') {
      names.add(answered ?? '').add(resultNameOf(message, envelopeOf(item)));
      names.delete('');
    } else if (message?.tool_calls) {
      eachCall(message, (_, name) => {
        names.add(name);
        this.#toolCalls++;
      });
    }
    return names.size === 0 ? '' : JSON.stringify([...names]);
  }
}

function hasOneOf(names: string, wanted: ReadonlySet<string>): boolean {
  return names !== '' && (JSON.parse(names) as string[]).some((name) => wanted.has(name));
}

/** The rows of one code from `from` up to, not including, `to`. */
function rowsBetween({ column }: Test, code: number, from: number, to: number): Uint32Array {
  const rows = column.rowsOf(code);
  return rows.subarray(firstAtLeast(rows, from), firstAtLeast(rows, to));
}

/** Without a branch, because one that is taken now and then costs more than all the rest. */
function pick({ column, marks }: Test, from: number, to: number, into: Uint32Array): number {
  const { cells } = column;
  let kept = 0;
  for (let at = from; at < to; at++) {
    into[kept] = at;
    kept += marks[cells[at] ?? 0] ?? 0;
  }
  return kept;
}

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
