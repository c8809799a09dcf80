/** How far a turn or another stretch of work has come. */
export type SpanState = 'running' | 'done' | 'failed' | 'cancelled';

/** A turn of a transcript, from a person's prompt to the last record before the next one; its texts stay in the records. */
export interface TurnSpan {
  /** From 0. */
  readonly index: number;
  /** The positions of its prompt and of its last record. */
  readonly position: number;
  readonly lastPosition: number;
  /** In milliseconds since 1970; 0 where no time is known. */
  readonly start: number;
  readonly end: number;
  /** The position of the record with the entry agent's last words; undefined where it has said none. */
  readonly answeredAt: number | undefined;
  /** Of the entry agent and of all that it dispatched. */
  readonly toolCalls: number;
  readonly dispatches: number;
  /** See `isFailedRecord`. */
  readonly errors: number;
  readonly state: SpanState;
}

/** A turn with the beginnings of its prompt and of the entry agent's last words. */
export interface TurnSummary extends Omit<TurnSpan, 'answeredAt'> {
  readonly prompt: string;
  readonly answer: string;
}
