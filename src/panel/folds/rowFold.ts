import { toolDuration } from '../../analysis/durations.js';
import { isFailedRecord } from '../../analysis/failures.js';
import { numberOr } from '../../analysis/values.js';
import { textOf } from '../../core/message.js';
import { isInventedTitle } from '../../core/record.js';
import type {
  ApprovalBody,
  CallEndBody,
  CallStartBody,
  DispatchBody,
  MessageRecord,
  RecordHeader,
  RequestBody,
  UnknownRecord,
} from '../../core/record.js';
import type { ReadRecord } from '../../ports/transcript.js';
import { idOf, messageIn, type LooseMessage } from '../../analysis/transcriptItem.js';
import { callsOf } from '../../analysis/toolCalls.js';
import type { AgentHues } from '../rows/agentHues.js';
import { partsOf, textOr } from '../rows/messageParts.js';
import { OpenToolCalls, type AnsweredCall } from '../rows/openToolCalls.js';
import { RequestPairing } from '../rows/requestPairing.js';
import { ROW, RowIndex } from '../rows/rowIndex.js';
import { clipName } from '../rows/rowPlace.js';
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
    const { agent } = record;
    const hue = this.#hues.of(agent);
    call.tokens.add(record as UnknownRecord, { agent, model: modelOf(record as UnknownRecord, call) });
    const answered = this.#place(record, position, call);
    const failure = isFailedRecord(record as UnknownRecord) ? this.#fail(record, position) : undefined;
    if (failure?.isNewFailure) call.errors++;
    if (call.owner !== undefined) index.markChanged(call.owner);
    const tookMs = answered && tookOf(record as UnknownRecord, answered);
    return {
      ...{ record, position, call, hue, isNewFailure: false },
      ...(answered && { answered }),
      ...(tookMs !== undefined && { tookMs }),
      ...failure,
    };
  }

  /** Notes that the row of a record shows a failure. */
  #fail({ type }: ReadRecord, position: number): Pick<Step, 'isNewFailure' | 'failedTool'> {
    const { index } = this;
    const row = index.rowOfRecord(position);
    if (row === undefined) return { isNewFailure: false };
    const isOfCall = index.position(row) !== position || type === 'dispatch';
    const { isNewRow, isNewCall } = index.fail(row, isOfCall);
    const tool = index.tool(row);
    return { isNewFailure: isNewRow, ...(isNewCall && tool !== undefined && { failedTool: tool }) };
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
      case 'title':
        if (!isInventedTitle(record)) this.#addNote(position, call);
        break;
      case 'imported':
        this.index.addRow(ROW.raw, position, call);
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
    const message = messageIn(record) ?? {};
    if (message.role === 'tool') return this.#addResult(message, position, call);
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

  #addResult(message: LooseMessage, position: number, call: CallNode): AnsweredCall | undefined {
    const { index } = this;
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
    if (!asked || asked.again) {
      this.#addNote(position, call);
      return;
    }
    this.index.setApproval(asked.call.row, position);
    asked.call.waitedMs = numberOr(record.waitedMs) ?? 0;
  }

  /** A successful request belongs to the reply beside it, before or after; others are rows of their own. */
  #addRequest(record: RecordHeader & RequestBody, position: number, call: CallNode): void {
    call.hasRequests = true;
    if (isFailedRecord({ ...record })) {
      this.#addNote(position, call);
      return;
    }
    const reply = this.#requests.request(call.index, position);
    if (reply !== undefined) this.index.setRequest(reply, position);
  }
}

function tookOf(
  { durationMs, time }: UnknownRecord,
  { calledAt, waitedMs }: AnsweredCall,
): number | undefined {
  return toolDuration({ durationMs, calledAt, answeredAt: time, waitedMs });
}

/** The model that a record's usage is of; for the end of a call, that of the call. */
function modelOf({ type, model }: UnknownRecord, call: CallNode): string {
  return clipName(type === 'callEnd' ? call.model : model) || 'unknown';
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
