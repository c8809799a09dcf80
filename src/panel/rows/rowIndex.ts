import type {
  ApprovalBody,
  CallEndBody,
  CallStartBody,
  DispatchBody,
  MessageRecord,
  RecordHeader,
  RequestBody,
} from '../../core/record.js';
import { textOf } from '../../core/message.js';
import type { ReadRecord } from '../../ports/transcript.js';
import { messageIn, type LooseMessage, idOf } from '../../query/queryItem.js';
import { callsOf } from '../../query/toolCalls.js';
import type { AgentHues } from './agentHues.js';
import { beginCall, CallTree, endCall, type CallNode } from '../folds/callTree.js';
import { GrowingColumn } from '../folds/growingColumn.js';
import { partsOf, textOr } from './messageParts.js';
import { OpenToolCalls } from './openToolCalls.js';

/** What a row is made of; `none` is no row. */
export const ROW = { none: 0, message: 1, tool: 2, dispatch: 3, note: 4 } as const;

/** The call that a tool's answer belongs to. */
export interface AnsweredCall {
  readonly row: number;
  readonly tool: string;
  readonly calledAt: number;
  /** Whether the call dispatched another agent. */
  readonly isDispatch?: boolean;
}

/** One record taken in, and what it was in the conversation. */
export interface Step {
  readonly record: ReadRecord;
  readonly position: number;
  readonly call: CallNode;
  /** For a tool's answer: the call that it answers; absent for one that answers none, or answers again. */
  readonly answered?: AnsweredCall;
}

/**
 * Says which rows a transcript has and what each is made of: a few numbers a row, never its text, so that a
 * transcript of any size fits. Records are taken in once, in order; rows keep their number for ever.
 */
export class RowIndex {
  readonly calls = new CallTree();
  readonly #hues: AgentHues;
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
  readonly #open = new OpenToolCalls();
  readonly #unmatchedRequest = new Map<number, number>();
  readonly #unmatchedReply = new Map<number, number>();
  #changed = new Set<number>();
  #rows = 0;
  #records = 0;
  #messages = 0;

  constructor(hues: AgentHues) {
    this.#hues = hues;
  }

  /** How many rows there are. */
  get length(): number {
    return this.#rows;
  }

  /** How many records were taken in. */
  get records(): number {
    return this.#records;
  }

  get messages(): number {
    return this.#messages;
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
  /** Where the rows end that show a record, of which `first` is the first: its own, or the one that it is shown in. */
  endOfRows(position: number, first: number): number {
    let end = first + 1;
    if (this.#position.get(first) !== position) return end;
    while (end < this.#rows && this.#position.get(end) === position) end++;
    return end;
  }

  /** The first row of a record, or the row that it is shown in; undefined where it is not shown. */
  rowOfRecord = (position: number): number | undefined => minusOne(this.#rowOfRecord.get(position));

  /** Rows that look different since this was asked last, new ones not among them. */
  takeChanged(): ReadonlySet<number> {
    const changed = this.#changed;
    this.#changed = new Set();
    return changed;
  }

  /** Takes in the next record. */
  add(record: ReadRecord): Step {
    const position = this.#records++;
    const call = this.calls.of(record, position, (agent) => this.#hues.of(agent));
    const answered = this.#place(record, position, call);
    if (call.owner !== undefined) this.#changed.add(call.owner);
    return { record, position, call, ...(answered && { answered }) };
  }

  #place(record: ReadRecord, position: number, call: CallNode): AnsweredCall | undefined {
    switch (record.type) {
      case 'message':
        return this.#addMessage(record as MessageRecord, position, call);
      case 'dispatch':
        this.#addDispatch(record as RecordHeader & DispatchBody, position, call);
        break;
      case 'request':
        this.#addRequest(record as RecordHeader & RequestBody, position, call);
        break;
      case 'approval':
        this.#addApproval(record as RecordHeader & ApprovalBody, position, call);
        break;
      case 'callStart':
        beginCall(call, record as RecordHeader & CallStartBody);
        if (call.owner === undefined) this.#addRow(ROW.note, position, call);
        break;
      case 'callEnd':
        endCall(call, record as RecordHeader & CallEndBody);
        this.#open.end(call.id);
        this.#addRow(ROW.note, position, call);
        break;
      case 'error':
        call.errors++;
        this.#addRow(ROW.note, position, call);
        break;
      default:
        this.#addRow(ROW.note, position, call);
    }
    return undefined;
  }

  #addRow(kind: number, position: number, call: CallNode, sub = 0): number {
    const row = this.#rows++;
    this.#kind.set(row, kind);
    this.#position.set(row, position);
    this.#call.set(row, call.index);
    if (sub > 0) this.#sub.set(row, sub);
    if (this.#rowOfRecord.get(position) === 0) this.#rowOfRecord.set(position, row + 1);
    call.rows.push(row);
    return row;
  }

  #addMessage(record: MessageRecord, position: number, call: CallNode): AnsweredCall | undefined {
    this.#messages++;
    call.messages++;
    call.byMessages.add(record.usage);
    const message = messageIn(record) ?? {};
    if (message.role === 'tool') return this.#addResult(record, message, position, call);
    const asked = callsOf(message);
    const first = this.#rows;
    if (asked.length === 0 || saysSomething(message)) this.#addRow(ROW.message, position, call);
    asked.forEach((tool, sub) => {
      const row = this.#addRow(ROW.tool, position, call, sub);
      this.#tool.set(row, this.#toolNumber(tool.name));
      this.#open.open(call.id, tool.id, position, { row, tool: tool.name, calledAt: record.time });
    });
    call.toolCalls += asked.length;
    if (message.role === 'assistant') this.#joinReply(first, call);
    return undefined;
  }

  #toolNumber(tool: string): number {
    const known = this.#toolIndex.get(tool);
    if (known !== undefined) return known;
    const number = this.#tools.push(tool);
    this.#toolIndex.set(tool, number);
    return number;
  }

  #addResult(
    record: MessageRecord,
    message: LooseMessage,
    position: number,
    call: CallNode,
  ): AnsweredCall | undefined {
    if (record.isError === true) call.errors++;
    const paired = this.#open.result(call.id, idOf(message.tool_call_id));
    if (!paired || paired.again) {
      this.#addRow(ROW.message, position, call);
      return undefined;
    }
    this.#result.set(paired.call.row, position + 1);
    this.#rowOfRecord.set(position, paired.call.row + 1);
    this.#changed.add(paired.call.row);
    const isDispatch = this.#kind.get(paired.call.row) === ROW.dispatch;
    return { ...paired.call, isDispatch };
  }

  /** A dispatch makes the tool card that asked for it a dispatch card. */
  #addDispatch(record: RecordHeader & DispatchBody, position: number, call: CallNode): void {
    const asked = this.#open.dispatch(call.id, textOr(record.toolCallId));
    const row = asked && !asked.again ? asked.call : this.#addRow(ROW.dispatch, position, call);
    this.#kind.set(row, ROW.dispatch);
    this.#rowOfRecord.set(position, row + 1);
    this.#dispatches.set(row, position);
    this.#changed.add(row);
    if (typeof record.childCall === 'string') this.calls.dispatched(record.childCall, row, call);
  }

  #addApproval(record: RecordHeader & ApprovalBody, position: number, call: CallNode): void {
    const asked = this.#open.approval(call.id, textOr(record.toolCallId));
    if (!asked || asked.again) {
      this.#addRow(ROW.note, position, call);
      return;
    }
    this.#approvals.set(asked.call, position);
    this.#rowOfRecord.set(position, asked.call + 1);
    this.#changed.add(asked.call);
  }

  /** Requests that ended well tell of the reply beside them, before it or after it; others are rows of their own. */
  #addRequest(record: RecordHeader & RequestBody, position: number, call: CallNode): void {
    call.byRequests.add(record.usage);
    if (record.error) {
      this.#addRow(ROW.note, position, call);
      return;
    }
    const reply = this.#unmatchedReply.get(call.index);
    if (reply === undefined) {
      this.#unmatchedRequest.set(call.index, position);
      return;
    }
    this.#unmatchedReply.delete(call.index);
    this.#request.set(reply, position + 1);
    this.#rowOfRecord.set(position, reply + 1);
    this.#changed.add(reply);
  }

  #joinReply(row: number, call: CallNode): void {
    const request = this.#unmatchedRequest.get(call.index);
    if (request === undefined) {
      this.#unmatchedReply.set(call.index, row);
      return;
    }
    this.#unmatchedRequest.delete(call.index);
    this.#request.set(row, request + 1);
    this.#rowOfRecord.set(request, row + 1);
  }
}

function minusOne(stored: number): number | undefined {
  return stored === 0 ? undefined : stored - 1;
}

/** Whether a message has something to show beside its tool calls. */
function saysSomething(message: LooseMessage): boolean {
  return (
    textOf(message.content).trim() !== '' ||
    partsOf(message).length > 0 ||
    textOr(message.reasoning_content) !== '' ||
    textOr(message.refusal) !== ''
  );
}
