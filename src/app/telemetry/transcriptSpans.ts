import { wellFormedIn } from '../../core/wellFormed.js';
import { isObject } from '../../core/message.js';
import { yieldToEventLoop } from '../../core/yieldToEventLoop.js';
import type { OtlpSpan } from '../../export/otlp/otlpSpan.js';
import { SpanMapper } from '../../export/otlp/spanMapper.js';
import { cleanId } from '../../export/sharing/finding.js';
import { redactorFor, SharingGate } from '../../export/sharing/sharingGate.js';
import type { SharingRules } from '../../export/sharing/sharingPolicy.js';
import type { Prices } from '../../core/ports/prices.js';
import type { ReadRecord, Transcript } from '../../core/ports/transcript.js';
import { restoredRecords } from '../../store/read/restoredRecords.js';
import type { SpanOrigin } from '../../export/otlp/otlpJson.js';
import { SpanBatches } from '../../export/collector/spanBatches.js';
import type { SpanQueue } from '../../export/collector/spanQueue.js';
import type { SpanSettings } from './telemetrySettings.js';

/** How many records are worked on before others may do something. */
const AT_ONCE = 32;

/** What making spans of a conversation needs. */
export interface SpanWork extends SpanSettings {
  readonly conversation: string;
  /** The time of what tells none, in milliseconds since 1970. */
  readonly timeless: number;
  readonly rules: SharingRules;
  readonly prices: Prices;
  readonly origin: SpanOrigin;
  readonly queue: SpanQueue;
}

/** What came of making spans. */
export interface QueuedSpans {
  /** How many spans wait to be sent now. */
  readonly spans: number;
  /** How many secrets were replaced. */
  readonly redacted: number;
  /** How many texts were cut or left out, by settings or because a request would be too large. */
  readonly missing: number;
  /** How many spans the queue had no place for. */
  readonly dropped: number;
}

/** Nothing: where a sum starts. */
export const NO_SPANS: QueuedSpans = { spans: 0, redacted: 0, missing: 0, dropped: 0 };

/** The sum of two. */
export function addSpans(a: QueuedSpans, b: QueuedSpans): QueuedSpans {
  return {
    spans: a.spans + b.spans,
    redacted: a.redacted + b.redacted,
    missing: a.missing + b.missing,
    dropped: a.dropped + b.dropped,
  };
}

/**
 * Makes spans of one conversation as it grows, and puts them into the queue. All that goes out has passed the gate: everything that is
 * there is looked through first, then secrets are replaced, then each span is looked at once more.
 */
export class TranscriptSpans {
  readonly #work: SpanWork;
  readonly #gate: SharingGate;
  readonly #mapper: SpanMapper;
  #position = 0;
  #missing = 0;

  constructor(work: SpanWork) {
    this.#work = work;
    this.#gate = new SharingGate(work.rules);
    // It stands on every span, and no record is asked for it.
    const conversation = cleanId(work.conversation, redactorFor(work.rules));
    this.#mapper = new SpanMapper({ ...work, conversation, onMissing: () => this.#missing++ });
  }

  /** How many records have been taken. */
  get position(): number {
    return this.#position;
  }

  /** A text without what was found in the conversation. */
  clean(text: string): string {
    return this.#gate.redactor().text(text);
  }

  /**
   * Takes the records that came since the last time; puts those spans into the queue that are complete by a record from `from` on.
   * Rejects with a NotCleanError where something must not go out, with the signal's reason, and with errors of the disk.
   */
  async advance(transcript: Transcript, from: number, signal: AbortSignal): Promise<QueuedSpans> {
    const end = transcript.length;
    if (end <= this.#position) return NO_SPANS;
    let looked = this.#position;
    for await (const record of this.#records(transcript, end, signal)) this.#gate.look(record, looked++);
    const redactor = this.#gate.redactor();
    const sending = this.#sending();
    for await (const record of this.#records(transcript, end, signal)) {
      const clean = wellFormedIn(redactor.partOf(record, record));
      sending.given(clean);
      const spans = isObject(clean) ? this.#mapper.add(clean) : [];
      if (this.#position++ >= from) for (const span of spans) await sending.add(span);
    }
    return await sending.end(redactor.count);
  }

  /** Puts the spans into the queue that are still open, as far as they came. To be called last. */
  async end(): Promise<QueuedSpans> {
    const sending = this.#sending();
    for (const span of this.#mapper.end()) await sending.add(span);
    return await sending.end(0);
  }

  async *#records(transcript: Transcript, end: number, signal: AbortSignal): AsyncGenerator<ReadRecord> {
    const positions = Array.from({ length: end - this.#position }, (_, at) => this.#position + at);
    let count = 0;
    for await (const record of restoredRecords(transcript, positions, signal)) {
      yield record;
      if (++count % AT_ONCE === 0) await yieldToEventLoop();
    }
    signal.throwIfAborted();
  }

  #sending() {
    const { queue, origin } = this.#work;
    const check = this.#gate.check();
    const batches = new SpanBatches(() => this.#missing++);
    const before = this.#missing;
    let [spans, dropped] = [0, 0];
    const queued = async (batch: readonly OtlpSpan[] | undefined) => {
      if (!batch) return;
      if (await queue.add({ origin, spans: batch })) spans += batch.length;
      else dropped += batch.length;
    };
    return {
      given: (record: unknown) => {
        check.given(() => record);
      },
      async add(span: OtlpSpan): Promise<void> {
        const json = JSON.stringify(span);
        check.next(`${json}\n`);
        await queued(batches.add(span, Buffer.byteLength(json)));
      },
      end: async (redacted: number): Promise<QueuedSpans> => {
        await queued(batches.take());
        return { spans, dropped, redacted, missing: this.#missing - before };
      },
    };
  }
}
