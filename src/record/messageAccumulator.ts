import { Emitter, type Disposable, type Event, type ListenerFailure } from '../core/event.js';
import type { ChatMessage } from '../core/message.js';
import type { CallPlace } from '../core/record.js';
import { sizeOf } from './messageSize.js';

/** A message of any agent, with where and when it was said. */
export interface AccumulatedMessage extends CallPlace {
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly message: ChatMessage;
}

export interface AccumulatorLimits {
  /** Most messages kept; the oldest go first. */
  readonly maxMessages: number;
  /** Most bytes kept, estimated as two per character. */
  readonly maxBytes: number;
}

export const DEFAULT_ACCUMULATOR_LIMITS: AccumulatorLimits = {
  maxMessages: 100_000,
  maxBytes: 64 * 1024 * 1024,
};

/** Where a message came from, as far as the caller knows it. */
export type Provenance = Partial<Omit<AccumulatedMessage, 'message' | 'agent' | 'depth'>>;

/**
 * Every message of every agent of this process, in the order in which they were said. A sink: agents never
 * read it for their context. Bounded; what was dropped is counted and stays readable through the store.
 */
export class MessageAccumulator implements Disposable {
  readonly #limits: AccumulatorLimits;
  readonly #appended: Emitter<AccumulatedMessage>;
  #entries: AccumulatedMessage[] = [];
  /** Entries before this index are dropped; the array is cut when half of it is dead, so that dropping stays cheap. */
  #first = 0;
  #bytes = 0;
  #nextSeq = 1;

  constructor(limits: Partial<AccumulatorLimits> = {}, onListenerFailure: ListenerFailure = () => undefined) {
    this.#limits = { ...DEFAULT_ACCUMULATOR_LIMITS, ...limits };
    this.#appended = new Emitter(onListenerFailure);
  }

  /** Fired with each message after it was added. */
  get onDidAppend(): Event<AccumulatedMessage> {
    return this.#appended.event;
  }

  /** How many messages are held now. */
  get size(): number {
    return this.#entries.length - this.#first;
  }

  /** How many messages were dropped because of the limits. */
  dropped = 0;

  /** Adds one message. What `from` leaves out is filled in: the next seq, the time now, no run and no call. */
  append(agent: string, depth: number, message: ChatMessage, from: Provenance = {}): void {
    const entry = {
      time: Date.now(),
      run: '',
      call: '',
      ...from,
      seq: from.seq ?? this.#nextSeq,
      agent,
      depth,
      message,
    };
    this.keep(Object.freeze(entry));
  }

  /** Adds a message that knows all of its place already, as a record does; must be frozen. */
  keep(entry: AccumulatedMessage): void {
    this.#nextSeq = Math.max(this.#nextSeq, entry.seq) + 1;
    this.#entries.push(entry);
    this.#bytes += sizeOf(entry.message);
    this.#dropOldest();
    this.#appended.fire(entry);
  }

  extend(agent: string, depth: number, messages: Iterable<ChatMessage>): void {
    for (const message of messages) this.append(agent, depth, message);
  }

  /** A copy of all that is held, oldest first. */
  all(): AccumulatedMessage[] {
    return this.#entries.slice(this.#first);
  }

  /** The messages of one agent, oldest first. */
  forWorker(agent: string): AccumulatedMessage[] {
    return this.all().filter((entry) => entry.agent === agent);
  }

  /** The same as `forWorker`. */
  forAgent(agent: string): AccumulatedMessage[] {
    return this.forWorker(agent);
  }

  dispose(): void {
    this.#appended.dispose();
  }

  #dropOldest(): void {
    while (this.size > this.#limits.maxMessages || (this.#bytes > this.#limits.maxBytes && this.size > 0)) {
      const oldest = this.#entries[this.#first++];
      if (!oldest) break;
      this.#bytes -= sizeOf(oldest.message);
      this.dropped++;
    }
    if (this.#first > 1024 && this.#first * 2 > this.#entries.length) {
      this.#entries = this.#entries.slice(this.#first);
      this.#first = 0;
    }
  }
}
