import type { Reading } from '../../analysis/transcriptReader.js';
import { saysSomething, TranscriptReader } from '../../analysis/transcriptReader.js';
import { isInventedTitle, type UnknownRecord } from '../../core/record.js';
import type { ReadRecord } from '../../ports/transcript.js';
import { GrowingColumn } from '../../analysis/growingColumn.js';
import { RequestPairing } from '../rows/requestPairing.js';
import { ROW, RowIndex } from '../rows/rowIndex.js';

/** How many ids of tool calls are remembered for each call of an agent. */
const REMEMBERED_CALLS = 10_000;

/** Decides which rows the records of a transcript become; each record is added once, in order. */
export class RowFold {
  readonly #reader = new TranscriptReader(REMEMBERED_CALLS);
  readonly index = new RowIndex(this.#reader.calls);
  readonly #requests = new RequestPairing();
  /** For each tool call, by its number: its row. */
  readonly #rowOfTool = new GrowingColumn();

  /** Adds the next record; gives it as read, for other questions about the transcript. */
  add(record: ReadRecord): Reading {
    const { index } = this;
    const reading = this.#reader.next(record);
    index.records++;
    if (reading.message) this.#addMessage(reading);
    else this.#addRecord(record as UnknownRecord, reading);
    const owner = index.ownerOf(reading.call);
    if (owner !== undefined) index.markChanged(owner);
    return reading;
  }

  #addRecord(record: UnknownRecord, reading: Reading): void {
    const { position, call } = reading;
    switch (record.type) {
      case 'dispatch':
        this.#addDispatch(reading);
        break;
      case 'request':
        this.#addRequest(reading);
        break;
      case 'approval':
        this.#addApproval(reading);
        break;
      case 'callStart':
        if (this.index.ownerOf(call) === undefined) this.#addNote(reading);
        break;
      case 'message':
        // It has no message, which is for its row to say.
        this.index.addRow(ROW.message, position, call);
        break;
      case 'title':
        if (!isInventedTitle(record)) this.#addNote(reading);
        break;
      case 'callEnd':
        this.#addNote(reading);
        // That an agent failed and that its dispatch did are one failure, which the card of the dispatch shows.
        if (reading.isFailure && call.dispatcher)
          this.index.setFailure(position, this.#rowOfTool.get(call.dispatcher.number));
        break;
      case 'imported':
        this.index.addRow(ROW.raw, position, call);
        break;
      default:
        this.#addNote(reading);
    }
  }

  #addNote({ position, call }: Reading): void {
    this.index.addRow(ROW.note, position, call);
  }

  #addMessage({ message = {}, position, call, made, result }: Reading): void {
    const { index } = this;
    index.messages++;
    if (message.role === 'tool') {
      if (result?.made) index.setResult(this.#rowOfTool.get(result.made.number), position);
      else index.addRow(ROW.message, position, call);
      return;
    }
    const first = index.length;
    if (made.length === 0 || saysSomething(message)) index.addRow(ROW.message, position, call);
    made.forEach(({ number, tool }, sub) => {
      const row = index.addRow(ROW.tool, position, call, sub);
      index.setTool(row, tool);
      this.#rowOfTool.set(number, row);
    });
    if (message.role !== 'assistant') return;
    const request = this.#requests.reply(call.index, first);
    if (request !== undefined) index.setRequest(first, request);
  }

  /** A dispatch turns the tool card that asked for it into a dispatch card. */
  #addDispatch({ position, call, concerns }: Reading): void {
    const row = concerns
      ? this.#rowOfTool.get(concerns.number)
      : this.index.addRow(ROW.dispatch, position, call);
    this.index.setDispatch(row, position);
  }

  #addApproval(reading: Reading): void {
    const { position, concerns } = reading;
    if (concerns) this.index.setApproval(this.#rowOfTool.get(concerns.number), position);
    else this.#addNote(reading);
  }

  /** A successful request belongs to the reply beside it, before or after; others are rows of their own. */
  #addRequest(reading: Reading): void {
    const { position, call, isFailure } = reading;
    if (isFailure) {
      this.#addNote(reading);
      return;
    }
    const reply = this.#requests.request(call.index, position);
    if (reply !== undefined) this.index.setRequest(reply, position);
  }
}
