import type { Facts } from '../../../query/numbers/facts.js';
import { RequestPairing } from '../../../query/numbers/requestPairing.js';
import { TranscriptReader, type Reading } from '../../../query/numbers/transcriptReader.js';
import { GrowingColumn } from '../../../query/numbers/growingColumn.js';
import { ROW, RowIndex } from './rowIndex.js';

/** How many ids of tool calls are remembered for each call of an agent. */
const REMEMBERED_CALLS = 10_000;

/** Decides which rows the records of a transcript become; each record is added once, in order. */
export class RowPlanner {
  readonly #reader = new TranscriptReader(REMEMBERED_CALLS);
  readonly index = new RowIndex(this.#reader.calls);
  readonly #requests = new RequestPairing();
  /** For each call, by its index: the row of the failure of its model, and by which record that is counted. */
  readonly #failing = new Map<number, { readonly since: number; readonly row: number }>();
  /** For each tool call, by its number: its row. */
  readonly #rowOfTool = new GrowingColumn();

  /** Adds the next record; gives it as read, for other questions about the transcript. */
  add(facts: Facts): Reading {
    const { index } = this;
    const reading = this.#reader.next(facts);
    index.records++;
    if (facts.role !== undefined) this.#addMessage(reading);
    else this.#addRecord(reading);
    // Several records tell of one failure of a model, which the first of them is counted for.
    const counted = reading.countedAt === undefined ? undefined : index.rowOfRecord(reading.countedAt);
    if (counted !== undefined) index.setFailure(reading.position, counted);
    const owner = index.ownerOf(reading.call);
    if (owner !== undefined) index.markChanged(owner);
    return reading;
  }

  #addRecord(reading: Reading): void {
    const { facts, position, call } = reading;
    switch (facts.type) {
      case 'dispatch':
        this.#addDispatch(reading);
        break;
      case 'request':
        this.#addRequest(reading);
        break;
      case 'approval':
        this.#addApproval(reading);
        break;
      case 'error':
        this.#addFailing(reading);
        // What fails after that has its own words, of which those of this error are no part.
        this.#failing.delete(call.index);
        break;
      case 'callStart':
        if (this.index.ownerOf(call) === undefined) this.#addNote(reading);
        break;
      case 'message':
        // It has no message, which is for its row to say.
        this.index.addRow(ROW.message, position, call);
        break;
      case 'title':
        if (!facts.event?.isInvented) this.#addNote(reading);
        break;
      case 'callEnd':
        this.#addNote(reading);
        // That an agent failed and that its dispatch did are one failure, which the card of the dispatch shows.
        if (facts.isFailure && call.dispatcher)
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

  #addMessage({ facts, position, call, made, result }: Reading): void {
    const { index } = this;
    index.messages++;
    if (facts.role === 'tool') {
      if (result?.made) index.setResult(this.#rowOfTool.get(result.made.number), position);
      else index.addRow(ROW.message, position, call);
      return;
    }
    const first = index.length;
    if (made.length === 0 || facts.says) index.addRow(ROW.message, position, call);
    made.forEach(({ number, tool }, sub) => {
      const row = index.addRow(ROW.tool, position, call, sub);
      index.setTool(row, tool);
      this.#rowOfTool.set(number, row);
    });
    const request = this.#requests.message(call.index, facts.role, first);
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

  /** The requests of one failure of a model, and the error that ends them, are one row. */
  #addFailing({ facts, position, call, countedAt }: Reading): void {
    const failing = this.#failing.get(call.index);
    const isSame = failing !== undefined && failing.since === countedAt;
    if (isSame && this.index.addToFailure(failing.row, position)) return;
    const row = this.index.addRow(ROW.note, position, call);
    if (facts.type === 'request') this.#failing.set(call.index, { since: countedAt ?? position, row });
  }

  /** A successful request belongs to the reply beside it, before or after; others are rows of their own. */
  #addRequest(reading: Reading): void {
    const { facts, position, call } = reading;
    if (facts.isFailure) {
      this.#addFailing(reading);
      return;
    }
    const reply = this.#requests.request(call.index, position);
    if (reply !== undefined) this.index.setRequest(reply, position);
  }
}
