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
 * Lists the turns of a transcript: each starts with a prompt to an entry agent and extends to the next, including the
 * work of dispatched agents.
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

  /** The index of the turn in progress at a time, in milliseconds since 1970. */
  at(time: number): number {
    return Math.max(0, this.#after(({ start }) => start > time) - 1);
  }

  /** The position of the prompt after or before a record; without a record, that of the first or last turn. */
  beside(from: number | undefined, by: number): number | undefined {
    const [above, below] = from === undefined ? [-1, Infinity] : [from, from];
    const next =
      by > 0
        ? this.#after(({ position }) => position > above)
        : this.#after(({ position }) => position >= below) - 1;
    return this.#turns[next]?.position;
  }

  /** Binary search: the index of the first turn for which `holds` is true, as it then is for all later ones. */
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
    // A title that is given days later is no work.
    if (record.type !== 'title') turn.end = Math.max(turn.end, record.time);
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
