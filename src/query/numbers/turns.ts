import { preview, singleLine } from '../../core/text.js';
import { isWork } from './callTree.js';
import type { Facts } from './facts.js';
import type { Reading } from './transcriptReader.js';
import { beginsTurn } from './transcriptItem.js';
import type { TurnSpan, TurnSummary, SpanState } from './turn.js';
import { PackedNumbers } from './packedNumbers.js';

const PREVIEW = 200;

type Turn = { -readonly [K in keyof TurnSpan]: TurnSpan[K] };

/** Turns with their texts; `textAt` gives that of the message at a position, see `shortText`. */
export function withTexts(turns: readonly TurnSpan[], textAt: (position: number) => string): TurnSummary[] {
  return turns.map(({ answeredAt, ...turn }) => ({
    ...turn,
    prompt: textAt(turn.position),
    answer: answeredAt === undefined ? '' : textAt(answeredAt),
  }));
}

/**
 * Lists the turns of a transcript: each starts with a prompt to an entry agent and extends to the next, including the
 * work of dispatched agents. The prompts are those of `timelineOf`, which also lists as turns what an agent says unasked.
 */
export class Turns {
  /** All but the last, which may still change. */
  readonly #before = new TurnColumns();
  #last: Turn | undefined;
  /** The run that the last turn belongs to. */
  #run = 0;
  /** When the entry agent of the last turn was last heard of, and when an agent that it dispatched was. */
  #mainEnd = 0;
  #childEnd = 0;
  /** Why the last run ended, where it failed or reached a limit. */
  reason: string | undefined;
  /** How long each run says that it took, and how long its turns took, in milliseconds. */
  readonly #runs = new Map<number, { ended: number | undefined; turns: number }>();

  get length(): number {
    return this.#before.length + (this.#last ? 1 : 0);
  }

  /**
   * What every view calls the duration of a transcript, in milliseconds: what each run says of itself, else its turns from
   * prompt to last record, so that nothing between them counts. 0 where no time is known.
   */
  get durationMs(): number {
    let total = 0;
    for (const { ended, turns } of this.#runs.values()) total += ended ?? turns;
    return total;
  }

  /** Turns as they are now, from one index up to, not including, another. */
  slice(start: number, end: number): readonly TurnSpan[] {
    const turns: TurnSpan[] = [];
    for (let index = Math.max(0, start); index < Math.min(end, this.#before.length); index++)
      turns.push(this.#before.at(index));
    if (this.#last && start <= this.#last.index && this.#last.index < end) turns.push({ ...this.#last });
    return turns;
  }

  /** The index of the turn in progress at a time, in milliseconds since 1970. */
  at(time: number): number {
    return Math.max(0, this.#after((index) => this.#startOf(index) > time) - 1);
  }

  /** The index of the turn that a record belongs to. */
  atPosition(at: number): number {
    return Math.max(0, this.#after((index) => this.#positionOf(index) > at) - 1);
  }

  /** The position of the prompt after or before a record; without a record, that of the first or last turn. */
  beside(from: number | undefined, by: number): number | undefined {
    const [above, below] = from === undefined ? [-1, Infinity] : [from, from];
    const next =
      by > 0
        ? this.#after((index) => this.#positionOf(index) > above)
        : this.#after((index) => this.#positionOf(index) >= below) - 1;
    return next >= 0 && next < this.length ? this.#positionOf(next) : undefined;
  }

  #startOf(index: number): number {
    return index < this.#before.length ? this.#before.start(index) : (this.#last?.start ?? 0);
  }

  #positionOf(index: number): number {
    return index < this.#before.length ? this.#before.position(index) : (this.#last?.position ?? 0);
  }

  /** Binary search: the index of the first turn for which `holds` is true, as it then is for all later ones. */
  #after(holds: (index: number) => boolean): number {
    let [low, high] = [0, this.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (holds(middle)) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Adds the next item of the transcript. */
  add(reading: Reading): void {
    const { facts, position, call } = reading;
    const { role, type } = facts;
    const isMain = call.parent === undefined;
    if (isMain && beginsTurn(facts)) {
      this.#begin(position, facts.time);
      this.#run = call.run;
    }
    const turn = this.#last;
    if (!turn || call.run !== this.#run) return;
    if (isWork(facts)) this.#extend(turn, facts, position, isMain);
    if (reading.isNewFailure) turn.errors++;
    turn.toolCalls += reading.toolCalls;
    if (isMain && role === 'assistant' && facts.hasText) turn.answeredAt = position;
    if (type === 'dispatch') turn.dispatches++;
    if (type === 'callEnd' && isMain) this.#end(turn, call.run, facts);
  }

  #end(turn: Turn, runNumber: number, { event, isFailure, durationMs }: Facts): void {
    turn.state = stateOf(event?.outcome);
    this.reason = isFailure ? shortText(event?.words ?? '') : undefined;
    const run = this.#runOf(runNumber);
    if (durationMs !== undefined) run.ended = (run.ended ?? 0) + durationMs;
  }

  #runOf(run: number): { ended: number | undefined; turns: number } {
    const known = this.#runs.get(run) ?? { ended: undefined, turns: 0 };
    this.#runs.set(run, known);
    return known;
  }

  /** The entry agent's own records come one after the other: where their clock runs back, its later words count. */
  #extend(turn: Turn, { time }: Facts, position: number, isMain: boolean): void {
    turn.lastPosition = position;
    if (time === 0) return;
    if (turn.start === 0) turn.start = time;
    if (isMain) this.#mainEnd = time;
    else this.#childEnd = Math.max(this.#childEnd, time);
    this.#endAt(turn, Math.max(turn.start, this.#mainEnd, this.#childEnd));
  }

  #endAt(turn: Turn, end: number): void {
    const run = this.#runOf(this.#run);
    run.turns += end - turn.start - Math.max(0, turn.end - turn.start);
    turn.end = end;
  }

  #begin(position: number, time: number): void {
    const last = this.#last;
    if (last?.state === 'running') last.state = 'done';
    // What goes on when the next prompt comes is no part of this turn, or is told by another clock.
    if (last && time >= last.start && time < last.end) this.#endAt(last, time);
    if (last) this.#before.push(last);
    this.#mainEnd = time;
    this.#childEnd = 0;
    this.#last = {
      index: this.#before.length,
      position,
      lastPosition: position,
      start: time,
      end: time,
      answeredAt: undefined,
      toolCalls: 0,
      dispatches: 0,
      errors: 0,
      state: 'running',
    };
  }
}

/** The beginning of a text as a turn shows it: one line, without the marks of Markdown. */
export function shortText(text: string): string {
  const words = text.slice(0, PREVIEW * 8).replace(/^[#>\s*-]+|[*`]+/gm, ' ');
  return preview(singleLine(words), PREVIEW);
}

function stateOf(outcome: unknown): Turn['state'] {
  if (outcome === 'done' || outcome === 'cancelled') return outcome;
  return 'failed';
}

const STATES: readonly SpanState[] = ['running', 'done', 'failed', 'cancelled'];

/** Turns that do not change any more, in some twenty bytes each: a long transcript may have a hundred thousand. */
class TurnColumns {
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
