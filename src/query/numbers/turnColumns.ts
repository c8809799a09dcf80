import { PackedNumbers } from './packedNumbers.js';
import type { SpanState, TurnSpan } from './turn.js';

const STATES: readonly SpanState[] = ['running', 'done', 'failed', 'cancelled'];

/** Turns that do not change any more, in some twenty bytes each: a long transcript may have a hundred thousand. */
export class TurnColumns {
  readonly #position = new PackedNumbers();
  readonly #lastPosition = new PackedNumbers();
  readonly #start = new PackedNumbers();
  readonly #end = new PackedNumbers();
  /** One more than the position of the answer; 0 where there is none. */
  readonly #answered = new PackedNumbers();
  readonly #toolCalls = new PackedNumbers();
  readonly #dispatches = new PackedNumbers();
  readonly #errors = new PackedNumbers();
  readonly #state = new PackedNumbers();

  get length(): number {
    return this.#position.length;
  }

  push(turn: TurnSpan): void {
    this.#position.push(turn.position);
    this.#lastPosition.push(turn.lastPosition);
    this.#start.push(turn.start);
    this.#end.push(turn.end);
    this.#answered.push(turn.answeredAt === undefined ? 0 : turn.answeredAt + 1);
    this.#toolCalls.push(turn.toolCalls);
    this.#dispatches.push(turn.dispatches);
    this.#errors.push(turn.errors);
    this.#state.push(STATES.indexOf(turn.state));
  }

  start(index: number): number {
    return this.#start.at(index);
  }

  position(index: number): number {
    return this.#position.at(index);
  }

  /** The turn at an index below `length`. */
  at(index: number): TurnSpan {
    const answered = this.#answered.at(index);
    return {
      index,
      position: this.#position.at(index),
      lastPosition: this.#lastPosition.at(index),
      start: this.#start.at(index),
      end: this.#end.at(index),
      answeredAt: answered === 0 ? undefined : answered - 1,
      toolCalls: this.#toolCalls.at(index),
      dispatches: this.#dispatches.at(index),
      errors: this.#errors.at(index),
      state: STATES[this.#state.at(index)] ?? 'running',
    };
  }
}
