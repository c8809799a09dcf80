import { textOf } from '../core/message.js';
import { preview, singleLine } from '../core/text.js';
import { isWork } from './callTree.js';
import { failureWords } from './failures.js';
import type { Reading } from './transcriptReader.js';
import { isPromptRole, type LooseMessage } from './transcriptItem.js';
import { knownTime, numberOr } from './values.js';

const PREVIEW = 200;

/** How far a turn or another stretch of work has come. */
export type SpanState = 'running' | 'done' | 'failed' | 'cancelled';

/** A turn of a transcript, from a person's prompt to the last record before the next one. */
export interface TurnSummary {
  /** From 0. */
  readonly index: number;
  /** The positions of its prompt and of its last record. */
  readonly position: number;
  readonly lastPosition: number;
  /** In milliseconds since 1970; 0 where no time is known. */
  readonly start: number;
  readonly end: number;
  /** The beginnings of the prompt and of the entry agent's last words. */
  readonly prompt: string;
  readonly answer: string;
  /** Of the entry agent and of all that it dispatched. */
  readonly toolCalls: number;
  readonly dispatches: number;
  /** See `isFailedRecord`. */
  readonly errors: number;
  readonly state: SpanState;
}

const NO_RECORD: LooseMessage = Object.freeze({});

type Turn = { -readonly [K in keyof TurnSummary]: TurnSummary[K] };

/**
 * Lists the turns of a transcript: each starts with a prompt to an entry agent and extends to the next, including the
 * work of dispatched agents. The prompts are those of `timelineOf`, which also lists as turns what an agent says unasked.
 */
export class Turns {
  readonly #turns: Turn[] = [];
  /** The entry agent's last words in the last turn, whole: of all that it says, only the last is shortened. */
  #answer = '';
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
    return this.#turns.length;
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

  slice(start: number, end: number): readonly TurnSummary[] {
    this.#settleAnswer();
    return this.#turns.slice(start, end);
  }

  #settleAnswer(): void {
    const turn = this.#turns.at(-1);
    if (turn && this.#answer !== '') turn.answer = short(this.#answer);
    this.#answer = '';
  }

  /** The index of the turn in progress at a time, in milliseconds since 1970. */
  at(time: number): number {
    return Math.max(0, this.#after(({ start }) => start > time) - 1);
  }

  /** The index of the turn that a record belongs to. */
  atPosition(at: number): number {
    return Math.max(0, this.#after(({ position }) => position > at) - 1);
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

  /** Adds the next item of the transcript. */
  add(reading: Reading): void {
    const { record = NO_RECORD, message, position, call } = reading;
    const isMain = call.parent === undefined;
    if (isMain && message && isPromptRole(message.role)) {
      this.#begin(position, knownTime(record.time) ?? 0, textOf(message.content));
      this.#run = call.run;
    }
    const turn = this.#turns.at(-1);
    if (!turn || call.run !== this.#run) return;
    if (isWork(record)) this.#extend(turn, record, position, isMain);
    if (reading.isNewFailure) turn.errors++;
    turn.toolCalls += reading.toolCalls;
    const text = isMain && message?.role === 'assistant' ? textOf(message.content) : '';
    if (text.trim() !== '') this.#answer = text;
    if (record.type === 'dispatch') turn.dispatches++;
    if (record.type === 'callEnd' && isMain) this.#end(turn, reading, record);
  }

  #end(turn: Turn, { call, isFailure }: Reading, record: LooseMessage): void {
    turn.state = stateOf(record.outcome);
    this.reason = isFailure ? short(failureWords(record)) : undefined;
    const took = numberOr(record.durationMs);
    const run = this.#runOf(call.run);
    if (took !== undefined) run.ended = (run.ended ?? 0) + took;
  }

  #runOf(run: number): { ended: number | undefined; turns: number } {
    const known = this.#runs.get(run) ?? { ended: undefined, turns: 0 };
    this.#runs.set(run, known);
    return known;
  }

  /** The entry agent's own records come one after the other: where their clock runs back, its later words count. */
  #extend(turn: Turn, record: LooseMessage, position: number, isMain: boolean): void {
    turn.lastPosition = position;
    const time = knownTime(record.time);
    if (time === undefined) return;
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

  #begin(position: number, time: number, prompt: string): void {
    const last = this.#turns.at(-1);
    if (last?.state === 'running') last.state = 'done';
    this.#settleAnswer();
    // What goes on when the next prompt comes is no part of this turn, or is told by another clock.
    if (last && time >= last.start && time < last.end) this.#endAt(last, time);
    this.#mainEnd = time;
    this.#childEnd = 0;
    this.#turns.push({
      index: this.#turns.length,
      position,
      lastPosition: position,
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
