import { hasFailed, type Reading } from '../../query/numbers/transcriptReader.js';
import type { MadeCall } from '../../query/numbers/toolCalls.js';
import type { TableRow } from './tableColumns.js';

type CallRow = TableRow<'calls'>;

/** What of a call's row is known when the call is made, or when its result comes without it. */
export type CallBegin = Omit<
  CallRow,
  | 'result_seq'
  | 'answered_at'
  | 'result'
  | 'duration_ms'
  | 'waited_ms'
  | 'is_error'
  | 'decision'
  | 'decided_by'
  | 'child_call'
>;

/** What a result adds. */
export type CallResult = Pick<CallRow, 'result_seq' | 'answered_at' | 'result' | 'duration_ms'>;

/** What an approval or a dispatch adds. */
export type CallEvent = Partial<Pick<CallRow, 'decision' | 'decided_by' | 'child_call'>>;

interface BufferedCall {
  readonly begin: CallBegin;
  readonly made: MadeCall;
  result?: CallResult;
  event: CallEvent;
}

/** How many tool calls wait to be written at most, and how long their texts are together, in UTF-16 code units. */
export const MAX_HELD_CALLS = 2_000;
const MAX_HELD_TEXT = 16 * 1024 * 1024;

const NO_RESULT: CallResult = {
  result_seq: undefined,
  answered_at: undefined,
  result: undefined,
  duration_ms: undefined,
};

/**
 * The tool calls of a session until they are written: what comes later may belong to one, its result, an approval, that it
 * failed. Those that are answered are written first when many wait, so that a call that takes long, such as one of an
 * agent, keeps its result; only where ever more are never answered the oldest go without.
 */
export class BufferedCalls {
  readonly #write: (row: CallRow) => void;
  readonly #held = new Map<MadeCall, BufferedCall>();
  #text = 0;

  constructor(write: (row: CallRow) => void) {
    this.#write = write;
  }

  /** Adds a call that a message makes. */
  make(made: MadeCall, begin: CallBegin): void {
    this.#held.set(made, { made, begin, event: {} });
    this.#text += begin.arguments?.length ?? 0;
    if (this.#isFull) this.#makeRoom();
  }

  /** Adds the result of a call; false where that was written without it. */
  answer(made: MadeCall, result: CallResult): boolean {
    const held = this.#held.get(made);
    if (!held) return false;
    held.result = result;
    this.#text += result.result?.length ?? 0;
    if (this.#isFull) this.#makeRoom();
    return true;
  }

  /** Adds what an approval or a dispatch says of a call. */
  note(reading: Reading, event: CallEvent): void {
    const held = reading.concerns && this.#held.get(reading.concerns);
    if (held) held.event = { ...held.event, ...event };
  }

  /** Writes a call of which only the result is recorded. */
  unseen(begin: CallBegin, result: CallResult, isError: boolean): void {
    this.#write({
      ...begin,
      ...result,
      waited_ms: 0,
      is_error: isError,
      decision: undefined,
      decided_by: undefined,
      child_call: undefined,
    });
  }

  /** Writes all that wait. */
  end(): void {
    for (const held of this.#held.values()) this.#let(held);
  }

  get #isFull(): boolean {
    return this.#held.size > MAX_HELD_CALLS || this.#text > MAX_HELD_TEXT;
  }

  #makeRoom(): void {
    for (const held of this.#held.values()) if (held.result) this.#let(held);
    for (const held of this.#held.values()) {
      if (this.#held.size <= MAX_HELD_CALLS / 2 && this.#text <= MAX_HELD_TEXT / 2) return;
      this.#let(held);
    }
  }

  #let({ made, begin, result = NO_RESULT, event }: BufferedCall): void {
    this.#held.delete(made);
    this.#text -= (begin.arguments?.length ?? 0) + (result.result?.length ?? 0);
    this.#write({
      ...begin,
      ...result,
      waited_ms: made.waitedMs,
      is_error: hasFailed(made),
      decision: event.decision,
      decided_by: event.decided_by,
      child_call: event.child_call,
    });
  }
}
