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
