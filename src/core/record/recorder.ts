import { checkOptions, type KnownOptions } from '../checkOptions.js';
import { systemClock, type Clock } from '../clock.js';
import { Emitter, type Disposable, type Event, type ListenerFailure } from '../event.js';
import { newId } from '../ids.js';
import {
  isMessageRecord,
  type LogRecord,
  type PieceDraft,
  type PieceRecord,
  type RecordDraft,
  type RecordHeader,
} from '../record.js';
import type { MessageAccumulator } from './messageAccumulator.js';

/** What a recorder needs. */
export interface RecorderOptions {
  readonly conversation: string;
  /** Absent where messages are not to be kept in memory. */
  readonly accumulator?: MessageAccumulator | undefined;
  readonly clock?: Clock;
  /** The last seq that the conversation already has; 0 for a new one. */
  readonly lastSeq?: number;
  /** Receives the error of a subscriber that threw. */
  readonly onListenerFailure: ListenerFailure;
}

const recorderKinds: KnownOptions<RecorderOptions> = {
  conversation: 'text',
  accumulator: 'object',
  clock: 'object',
  lastSeq: 'count',
  onListenerFailure: 'function',
};

/**
 * The only way into the record of a conversation: it assigns seq, id and time, freezes the record, adds its message to
 * the accumulator and notifies the subscribers. Synchronous: once `record` returns, the record exists.
 */
export class Recorder implements Disposable {
  readonly conversation: string;
  readonly #accumulator: MessageAccumulator | undefined;
  readonly #clock: Clock;
  readonly #recorded: Emitter<LogRecord>;
  readonly #said: Emitter<PieceRecord>;
  #seq: number;

  constructor(options: RecorderOptions) {
    checkOptions(options, recorderKinds, 'Recorder');
    this.conversation = options.conversation;
    this.#accumulator = options.accumulator;
    this.#clock = options.clock ?? systemClock;
    this.#seq = options.lastSeq ?? 0;
    this.#recorded = new Emitter(options.onListenerFailure);
    this.#said = new Emitter(options.onListenerFailure);
  }

  get onDidRecord(): Event<LogRecord> {
    return this.#recorded.event;
  }

  /** Fires with what is being said, before the record that has all of it. */
  get onDidSay(): Event<PieceRecord> {
    return this.#said.event;
  }

  /** The seq of the latest record, 0 before the first. */
  get lastSeq(): number {
    return this.#seq;
  }

  /** Turns a draft into a record. A function value, so that it can be passed on without binding. */
  readonly record = (draft: RecordDraft): LogRecord => {
    const record = Object.freeze(this.#headed(draft, ++this.#seq));
    if (isMessageRecord(record)) this.#accumulator?.keep(record);
    this.#recorded.fire(record);
    return record;
  };

  /** Passes on what is being said. Also a function value. */
  readonly say = (draft: PieceDraft): void => {
    this.#said.fire(Object.freeze(this.#headed(draft, this.#seq)));
  };

  /** A copy with the header in front, in the order of a journal's line. */
  #headed<Draft extends RecordDraft>(draft: Draft, seq: number): RecordHeader & Draft {
    const { run, call, parentCall, agent, depth } = draft;
    const id = newId('message');
    const time = this.#clock.now();
    const { conversation } = this;
    // Existing keys keep their position, so the whole draft can be assigned: half the cost of taking it apart.
    const header =
      parentCall === undefined
        ? { seq, id, time, conversation, run, call, agent, depth }
        : { seq, id, time, conversation, run, call, parentCall, agent, depth };
    return Object.assign(header, draft);
  }

  dispose(): void {
    this.#recorded.dispose();
    this.#said.dispose();
  }
}
