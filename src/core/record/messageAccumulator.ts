import { checkOptions } from '../checkOptions.js';
import { Emitter, type Disposable, type Event, type ListenerFailure } from '../event.js';
import type { ChatMessage } from '../message.js';
import type { CallSite } from '../record.js';

/** A message of any agent, with its place and time. */
export interface AccumulatedMessage extends CallSite {
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly message: ChatMessage;
}

/** What an accumulator may hold; over a limit the oldest messages go first. */
export interface AccumulatorLimits {
  readonly maxMessages: number;
  /** Estimated by `sizeOf`. */
  readonly maxBytes: number;
}

/** 100,000 messages or 64 MiB. */
export const DEFAULT_ACCUMULATOR_LIMITS: AccumulatorLimits = {
  maxMessages: 100_000,
  maxBytes: 64 * 1024 * 1024,
};

/** The place and time of a message, as far as the caller knows them. */
export type Provenance = Partial<Omit<AccumulatedMessage, 'message' | 'agent' | 'depth'>>;

/**
 * The messages of all agents of this process, in the order in which they were recorded. A sink: agents never read their
 * context from it. Bounded; dropped messages are counted and remain readable through the store.
 */
export class MessageAccumulator implements Disposable {
  readonly #limits: AccumulatorLimits;
  readonly #appended: Emitter<AccumulatedMessage>;
  #entries: AccumulatedMessage[] = [];
  /** Entries before this index are dropped; the array is cut once half of it is dead, so that dropping stays cheap. */
  #first = 0;
  #bytes = 0;
  #nextSeq = 1;

  constructor(limits: Partial<AccumulatorLimits> = {}, onListenerFailure: ListenerFailure = () => undefined) {
    checkOptions(limits, { maxMessages: 'count', maxBytes: 'count' }, 'MessageAccumulator');
    this.#limits = { ...DEFAULT_ACCUMULATOR_LIMITS, ...limits };
    this.#appended = new Emitter(onListenerFailure);
  }

  /** Fires after a message was added. */
  get onDidAppend(): Event<AccumulatedMessage> {
    return this.#appended.event;
  }

  /** The number of messages held. */
  get size(): number {
    return this.#entries.length - this.#first;
  }

  /** The number of messages dropped because of the limits. */
  dropped = 0;

  /** Adds a message. Defaults for what `from` leaves out: the next seq, the current time, no run and no call. */
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

  /** Adds an entry as it is, like a message record; it must be frozen. */
  keep(entry: AccumulatedMessage): void {
    this.#nextSeq = Math.max(this.#nextSeq, entry.seq) + 1;
    this.#entries.push(entry);
    this.#bytes += sizeOf(entry.message);
    this.#dropOldest();
    this.#appended.fire(entry);
  }

  /** Appends messages of one agent. */
  extend(agent: string, depth: number, messages: Iterable<ChatMessage>): void {
    for (const message of messages) this.append(agent, depth, message);
  }

  /** A copy of all entries, oldest first. */
  all(): AccumulatedMessage[] {
    return this.#entries.slice(this.#first);
  }

  /** The messages of one agent, oldest first. */
  forWorker(agent: string): AccumulatedMessage[] {
    return this.all().filter((entry) => entry.agent === agent);
  }

  /** `forWorker` under the word that the rest of this API uses. */
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

/** The assumed size of a message without any text, in bytes. */
const BASE = 200;

/** Roughly how many bytes a message takes in memory: two per UTF-16 code unit of its texts, plus a constant. */
function sizeOf(message: ChatMessage): number {
  let characters = message.reasoning_content?.length ?? 0;
  if (typeof message.content === 'string') characters += message.content.length;
  else if (message.content) characters += JSON.stringify(message.content).length;
  for (const call of message.tool_calls ?? []) characters += call.function.arguments.length;
  return BASE + 2 * characters;
}
