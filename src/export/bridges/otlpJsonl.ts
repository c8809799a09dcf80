import { otlpJson, type SpanOrigin } from '../otlp/otlpJson.js';
import type { OtlpSpan } from '../otlp/otlpSpan.js';
import { SpanMapper } from '../otlp/spanMapper.js';
import type { AboutTranscript, BridgeWriter, Loses } from './bridge.js';
import type { TakenRecord } from './takenRecord.js';

/** How many spans are on a line at most, and how many characters, from which a line ends. */
const MAX_SPANS = 512;
const MAX_CHARACTERS = 1_000_000;

const ORIGIN: SpanOrigin = { resource: { 'service.name': 'agent-logbook' }, version: '' };

/**
 * Spans of OpenTelemetry in the JSON encoding of OTLP: each line is a request to a collector, as its own file exporter writes them.
 * What the conventions have no word for stands in attributes of our own, so that nothing of a record is left out.
 */
export class OtlpJsonlWriter implements BridgeWriter {
  readonly #mapper: SpanMapper;
  #spans: OtlpSpan[] = [];
  #characters = 0;
  readonly #loses: Loses;

  constructor({ conversation, loses, prices }: AboutTranscript) {
    this.#loses = loses;
    this.#mapper = new SpanMapper({ conversation, ...(prices && { prices }) });
  }

  add(record: TakenRecord): string {
    for (const field of Object.keys(record.record)) record.take([field]);
    return this.#lines(this.#mapper.add(record.record));
  }

  end(): string {
    const lines = this.#lines(this.#mapper.end());
    return lines + this.#line();
  }

  #lines(spans: readonly OtlpSpan[]): string {
    let lines = '';
    for (const span of spans) {
      this.#spans.push(span);
      // A span has a time: whoever shows one of a transcript that tells none shows it in 1970.
      if (span.start === 0) this.#loses('dates of spans');
      for (const value of Object.values(span.attributes))
        this.#characters += typeof value === 'string' ? value.length : 0;
      if (this.#spans.length >= MAX_SPANS || this.#characters >= MAX_CHARACTERS) lines += this.#line();
    }
    return lines;
  }

  #line(): string {
    if (this.#spans.length === 0) return '';
    const line = otlpJson(this.#spans, ORIGIN);
    this.#spans = [];
    this.#characters = 0;
    return `${line}\n`;
  }
}
