import { firstAtLeast } from '../../../query/columns/firstAtLeast.js';
import type { ListChange } from '../../protocol/events.js';
import { partsOf } from '../../../query/language/edit.js';
import type { QueryPlan } from '../../../query/language/plan.js';
import type { SessionFacts, SpanFacts } from '../../../query/language/sessionFacts.js';
import type { Term } from '../../../query/language/syntax.js';
import { ROW, type RowIndex } from '../rows/rowIndex.js';

const noTexts = (): readonly string[] => [];

/** The rows of the list that show what a question finds. */
export class MatchingRows {
  readonly #index: RowIndex;
  /** Whether only what failed is asked for. */
  readonly #asksForErrors: boolean;
  /** Whether a tool is one that is asked for; undefined where none is. */
  readonly #isAskedTool: ((tool: string) => boolean) | undefined;

  constructor({ query, terms, rows }: QueryPlan, index: RowIndex) {
    this.#index = index;
    const isOfRecords = rows === 'records' || rows === 'messages';
    const asked = isOfRecords ? partsOf(query).filter((part): part is Term => part.kind === 'term') : [];
    this.#asksForErrors = asked.some(
      ({ field, values }) =>
        field === 'is' && values.every((value) => value.kind === 'text' && value.text === 'error'),
    );
    const tools = asked.flatMap((term) => {
      const compiled = term.field === 'tool' ? terms.get(term) : undefined;
      return compiled?.on === 'facts' ? [compiled.test] : [];
    });
    if (tools.length > 0)
      this.#isAskedTool = (tool) => tools.every((test) => test({ tools: [tool] } as never, noTexts, noTexts));
  }

  /**
   * The rows of a record. Where tools are asked for, of a message that calls several only those; where failures are, only
   * the row that is counted as one. None while the index has not reached it.
   */
  ofRecord(position: number): readonly number[] {
    const index = this.#index;
    if (this.#asksForErrors) {
      const row = index.rowOfFailure(position);
      return row === undefined ? [] : [row];
    }
    const first = index.rowOfRecord(position);
    if (first === undefined) return [];
    const rows = rowsBetween(first, index.endOfRows(position, first));
    const asked = this.#isAskedTool && rows.filter((row) => this.#isAskedTool?.(index.tool(row) ?? ''));
    return asked && asked.length > 0 ? asked : rows;
  }

  /** The rows of a tool call, or of the beginning and the end of a call of an agent or a run. */
  ofUnit(facts: SessionFacts, rows: 'toolCalls' | 'agentCalls' | 'runs', at: number): readonly number[] {
    if (rows === 'toolCalls') return this.#ofToolCall(facts, at);
    const span = rows === 'runs' ? facts.runs.at(at) : facts.agentCalls[at];
    return span ? this.#endsOf(span, rows === 'runs' ? undefined : at) : [];
  }

  #ofToolCall({ toolCalls }: SessionFacts, at: number): readonly number[] {
    const { askedAt, answeredAt, order } = toolCalls.at(at) ?? {};
    const index = this.#index;
    if (askedAt === undefined) {
      const row = answeredAt === undefined ? undefined : index.rowOfRecord(answeredAt);
      return row === undefined ? [] : [row];
    }
    const first = index.rowOfRecord(askedAt);
    if (first === undefined) return [];
    const rows = rowsBetween(first, index.endOfRows(askedAt, first));
    const isCall = (row: number) => index.kind(row) === ROW.tool || index.kind(row) === ROW.dispatch;
    return rows.filter((row) => isCall(row) && index.sub(row) === order);
  }

  /**
   * Where a call of an agent was dispatched, the card of that, which has its task and its answer. Else the first and the
   * last message of its own; of a run, of the agent that it began with.
   */
  #endsOf({ firstPosition, lastPosition }: SpanFacts, agentCall: number | undefined): readonly number[] {
    const index = this.#index;
    const first = index.rowOfRecord(firstPosition);
    const call =
      agentCall === undefined ? first !== undefined && index.callOf(first) : index.calls.all[agentCall];
    if (!call) return first === undefined ? [] : [first];
    const owner = agentCall === undefined ? undefined : index.ownerOf(call);
    if (owner !== undefined) return [owner];
    const own = index.rowsOf(call);
    const isIn = (row: number) => index.position(row) >= firstPosition && index.position(row) <= lastPosition;
    const isMessage = (row: number) => isIn(row) && index.kind(row) === ROW.message;
    const begin = own.find(isMessage) ?? own.find(isIn) ?? first;
    const end = own.findLast(isMessage);
    return [begin, end === begin ? undefined : end].filter((row) => row !== undefined);
  }
}

function rowsBetween(first: number, end: number): number[] {
  const rows = [first];
  for (let row = first + 1; row < end; row++) rows.push(row);
  return rows;
}

/** How many new rows are reported individually. */
const MAX_FRESH = 1_000;

/** The rows that pass a filter, in the order of the transcript, whatever dispatch they belong to. */
export class FilteredList {
  /** The rows in order, as of the last `grow`. */
  #rows = new Uint32Array(0);
  #length = 0;
  #marks = new Uint8Array(1024);
  #marked = 0;
  #fresh: number[] = [];
  /** The first row that was added since the last `grow`: all before it stand where they stood. */
  #firstFresh = Number.POSITIVE_INFINITY;

  get length(): number {
    return this.#length;
  }

  slice(start: number, end: number): readonly number[] {
    return Array.from(this.#rows.subarray(start, Math.min(end, this.#length)));
  }

  indexOf(row: number): number {
    const at = positionOf(row, this.#rows, this.#length);
    return at < this.#length && this.#rows[at] === row ? at : -1;
  }

  /** Adds a row; it is in the list after the next `grow`. */
  add(row: number): void {
    if (row >= this.#marks.length) this.#marks = moreOf(this.#marks, new Uint8Array(2 * row));
    if (this.#marks[row] === 1) return;
    this.#marks[row] = 1;
    this.#marked++;
    if (row < this.#firstFresh) this.#firstFresh = row;
    if (this.#fresh.length <= MAX_FRESH) this.#fresh.push(row);
  }

  /** Inserts the added rows; gives the changes in the order to be applied, or undefined where there are too many. */
  grow(): readonly ListChange[] | undefined {
    const fresh = this.#fresh.sort((a, b) => a - b);
    const isMuch = fresh.length > MAX_FRESH;
    const old = this.#length;
    const changes = isMuch ? undefined : insertions(fresh, this.#rows, old);
    const first = this.#firstFresh;
    this.#fresh = [];
    this.#firstFresh = Number.POSITIVE_INFINITY;
    this.#length = this.#marked;
    if (this.#rows.length < this.#marked) this.#rows = moreOf(this.#rows, new Uint32Array(2 * this.#marked));
    if (fresh.length > 0)
      gather(this.#marks, first, this.#rows.subarray(positionOf(first, this.#rows, old), this.#length));
    return changes;
  }
}

/** The changes by which new rows are inserted among the old ones; adjacent ones are one change. */
function insertions(fresh: readonly number[], rows: Uint32Array, length: number): ListChange[] {
  const changes: ListChange[] = [];
  fresh.forEach((row, before) => {
    const at = positionOf(row, rows, length) + before;
    const last = changes.at(-1);
    if (last && last.at + last.inserted === at) {
      changes[changes.length - 1] = { ...last, inserted: last.inserted + 1 };
    } else changes.push({ at, removed: 0, inserted: 1 });
  });
  return changes;
}

/** How many of the first `length` ascending numbers are less than `number`. */
function positionOf(number: number, numbers: Uint32Array, length: number): number {
  return firstAtLeast(numbers.subarray(0, length), number);
}

/**
 * Fills `rows` with those that are marked from `first` on. Branchless, because an unpredictable branch would cost more than
 * everything else here.
 */
function gather(marks: Uint8Array, first: number, rows: Uint32Array): void {
  let at = 0;
  for (let row = first; at < rows.length; row++) {
    rows[at] = row;
    at += marks[row] ?? 1;
  }
}

function moreOf<Numbers extends Uint8Array | Uint32Array>(numbers: Numbers, more: Numbers): Numbers {
  more.set(numbers);
  return more;
}
