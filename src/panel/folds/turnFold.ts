import { textOf } from '../../core/message.js';
import type { UnknownRecord } from '../../core/record.js';
import { preview, singleLine } from '../../core/text.js';
import type { TurnSummary } from '../../protocol/analysis.js';
import { messageIn } from '../../query/queryItem.js';
import { callsOf } from '../../query/toolCalls.js';
import type { Step } from './step.js';

const PREVIEW = 200;

type Turn = { -readonly [K in keyof TurnSummary]: TurnSummary[K] };

/**
 * Lists the turns of a transcript: each begins with a prompt to an entry agent and takes in everything up to the
 * next, the work of the agents that were dispatched meanwhile included.
 */
export class TurnFold {
  readonly #turns: Turn[] = [];
  /** The run that the last turn belongs to. */
  #run = 0;

  get length(): number {
    return this.#turns.length;
  }

  slice(start: number, end: number): readonly TurnSummary[] {
    return this.#turns.slice(start, end);
  }

  /** The number of the turn that goes on at a time, in milliseconds since 1970. */
  at(time: number): number {
    return Math.max(0, this.#after(({ start }) => start > time) - 1);
  }

  /** Where the prompt after a record stands, or the one before it; that of the first or last turn where none is given. */
  beside(from: number | undefined, by: number): number | undefined {
    const [above, below] = from === undefined ? [-1, Infinity] : [from, from];
    const next =
      by > 0
        ? this.#after(({ position }) => position > above)
        : this.#after(({ position }) => position >= below) - 1;
    return this.#turns[next]?.position;
  }

  /** The number of the first turn of which this holds; it holds of all that come after one of which it does. */
  #after(holds: (turn: TurnSummary) => boolean): number {
    let [low, high] = [0, this.#turns.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const turn = this.#turns[middle];
      if (turn && holds(turn)) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  add({ record: read, position, call }: Step): void {
    const record = read as UnknownRecord;
    const isMain = call.owner === undefined;
    const message = record.type === 'message' ? (messageIn(record) ?? {}) : undefined;
    if (isMain && message?.role === 'user') {
      this.#begin(position, record.time, textOf(message.content));
      this.#run = call.run;
    }
    const turn = this.#turns.at(-1);
    if (!turn || call.run !== this.#run) return;
    turn.end = Math.max(turn.end, record.time);
    if (message) {
      turn.toolCalls += callsOf(message).length;
      if (record.isError === true) turn.errors++;
      const text = isMain && message.role === 'assistant' ? textOf(message.content) : '';
      if (text.trim() !== '') turn.answer = short(text);
    }
    if (record.type === 'dispatch') turn.dispatches++;
    if (record.type === 'error') turn.errors++;
    if (record.type === 'callEnd' && isMain) turn.state = stateOf(record.outcome);
  }

  #begin(position: number, time: number, prompt: string): void {
    const last = this.#turns.at(-1);
    if (last?.state === 'running') last.state = 'done';
    this.#turns.push({
      index: this.#turns.length,
      position,
      start: time,
      end: time,
      prompt: short(prompt),
      answer: '',
      toolCalls: 0,
      dispatches: 0,
      errors: 0,
      state: 'running',
    });
  }
}

function short(text: string): string {
  const words = text.slice(0, PREVIEW * 8).replace(/^[#>\s*-]+|[*`]+/gm, ' ');
  return preview(singleLine(words), PREVIEW);
}

function stateOf(outcome: unknown): Turn['state'] {
  if (outcome === 'done' || outcome === 'cancelled') return outcome;
  return 'failed';
}
