import { textOf } from '../../core/message.js';
import type {
  ApprovalBody,
  CallEndBody,
  CallStartBody,
  DispatchBody,
  MessageRecord,
  RecordHeader,
  RequestBody,
} from '../../core/record.js';
import type { ReadRecord } from '../../ports/transcript.js';
import { idOf, messageIn, type LooseMessage } from '../../query/queryItem.js';
import { callsOf } from '../../query/toolCalls.js';
import type { AgentHues } from '../rows/agentHues.js';
import { partsOf, textOr } from '../rows/messageParts.js';
import { OpenToolCalls, type AnsweredCall } from '../rows/openToolCalls.js';
import { RequestPairing } from '../rows/requestPairing.js';
import { ROW, RowIndex } from '../rows/rowIndex.js';
import { beginCall, endCall, type CallNode } from './callTree.js';
import type { Step } from './step.js';

/** Decides which rows the records of a transcript become; each record is added once, in order. */
export class RowFold {
  readonly index = new RowIndex();
  readonly #hues: AgentHues;
  readonly #open = new OpenToolCalls();
  readonly #requests = new RequestPairing();

  constructor(hues: AgentHues) {
    this.#hues = hues;
  }

  /** Adds the next record. */
  add(record: ReadRecord): Step {
    const { index } = this;
    const position = index.records++;
    const call = index.calls.of(record, position, (agent) => this.#hues.of(agent));
    const answered = this.#place(record, position, call);
    if (call.owner !== undefined) index.markChanged(call.owner);
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
        if (call.owner === undefined) this.#addNote(position, call);
        break;
      case 'callEnd':
        endCall(call, record as RecordHeader & CallEndBody);
        this.#open.end(call.id);
        this.#addNote(position, call);
        break;
      case 'error':
        call.errors++;
        this.#addNote(position, call);
        break;
      default:
        this.#addNote(position, call);
    }
    return undefined;
  }

  #addNote(position: number, call: CallNode): void {
    this.index.addRow(ROW.note, position, call);
  }

  #addMessage(record: MessageRecord, position: number, call: CallNode): AnsweredCall | undefined {
    const { index } = this;
    index.messages++;
    call.messages++;
    call.byMessages.add(record.usage);
    const message = messageIn(record) ?? {};
    if (message.role === 'tool') return this.#addResult(record, message, position, call);
    const asked = callsOf(message);
    const first = index.length;
    if (asked.length === 0 || saysSomething(message)) index.addRow(ROW.message, position, call);
    asked.forEach((tool, sub) => {
      const row = index.addRow(ROW.tool, position, call, sub);
      index.setTool(row, tool.name);
      this.#open.open(call.id, tool.id, position, { row, tool: tool.name, calledAt: record.time });
    });
    call.toolCalls += asked.length;
    if (message.role !== 'assistant') return undefined;
    const request = this.#requests.reply(call.index, first);
    if (request !== undefined) index.setRequest(first, request);
    return undefined;
  }

  #addResult(
    record: MessageRecord,
    message: LooseMessage,
    position: number,
    call: CallNode,
  ): AnsweredCall | undefined {
    const { index } = this;
    if (record.isError === true) call.errors++;
    const paired = this.#open.result(call.id, idOf(message.tool_call_id));
    if (!paired || paired.again) {
      index.addRow(ROW.message, position, call);
      return undefined;
    }
    index.setResult(paired.call.row, position);
    return { ...paired.call, isDispatch: index.kind(paired.call.row) === ROW.dispatch };
  }

  /** A dispatch turns the tool card that asked for it into a dispatch card. */
  #addDispatch(record: RecordHeader & DispatchBody, position: number, call: CallNode): void {
    const asked = this.#open.dispatch(call.id, textOr(record.toolCallId));
    const row = asked && !asked.again ? asked.call : this.index.addRow(ROW.dispatch, position, call);
    this.index.setDispatch(row, position);
    if (typeof record.childCall === 'string') this.index.calls.dispatched(record.childCall, row, call);
  }

  #addApproval(record: RecordHeader & ApprovalBody, position: number, call: CallNode): void {
    const asked = this.#open.approval(call.id, textOr(record.toolCallId));
    if (asked && !asked.again) this.index.setApproval(asked.call, position);
    else this.#addNote(position, call);
  }

  /** A successful request belongs to the reply beside it, before or after; others are rows of their own. */
  #addRequest(record: RecordHeader & RequestBody, position: number, call: CallNode): void {
    call.byRequests.add(record.usage);
    if (record.error) {
      this.#addNote(position, call);
      return;
    }
    const reply = this.#requests.request(call.index, position);
    if (reply !== undefined) this.index.setRequest(reply, position);
  }
}

/** Whether a message has something to show besides its tool calls. */
function saysSomething(message: LooseMessage): boolean {
  return (
    textOf(message.content).trim() !== '' ||
    partsOf(message).length > 0 ||
    textOr(message.reasoning_content) !== '' ||
    textOr(message.refusal) !== ''
  );
}
