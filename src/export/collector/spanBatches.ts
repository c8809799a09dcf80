import type { OtlpSpan } from '../otlp/otlpSpan.js';

/** How many spans one request has at most, and how many bytes: what receivers take whose limits are the smallest. */
export const MAX_SPANS = 512;
export const MAX_BYTES = 4 * 1024 * 1024;

/** What a request has besides its spans, about. */
const OVERHEAD = 16 * 1024;

/** Attributes that may be large, those first of which others tell the same. */
const LARGE = [
  'gen_ai.input.messages',
  'gen_ai.tool.call.result',
  'gen_ai.tool.call.arguments',
  'gen_ai.output.messages',
  'agent_logbook.records',
] as const;

/** Puts spans together to requests that every receiver takes. */
export class SpanBatches {
  readonly #onDropped: (attribute: string) => void;
  #spans: OtlpSpan[] = [];
  #bytes = OVERHEAD;

  /** `onDropped` is told of each attribute that is left out because its span alone is more than a request may be. */
  constructor(onDropped: (attribute: string) => void) {
    this.#onDropped = onDropped;
  }

  /** Adds a span, with how long its JSON is in bytes; gives the batch that is full without it. */
  add(span: OtlpSpan, length = bytesOf(span)): readonly OtlpSpan[] | undefined {
    const isSmall = OVERHEAD + length <= MAX_BYTES;
    const fitting = isSmall ? span : this.#fitting(span);
    const bytes = isSmall ? length : bytesOf(fitting);
    const isFull = this.#spans.length >= MAX_SPANS || this.#bytes + bytes > MAX_BYTES;
    const full = isFull ? this.take() : undefined;
    this.#spans.push(fitting);
    this.#bytes += bytes;
    return full;
  }

  /** The spans that are no batch yet; undefined where there are none. */
  take(): readonly OtlpSpan[] | undefined {
    const spans = this.#spans;
    this.#spans = [];
    this.#bytes = OVERHEAD;
    return spans.length > 0 ? spans : undefined;
  }

  #fitting(span: OtlpSpan): OtlpSpan {
    const attributes = { ...span.attributes };
    let fitting = span;
    for (const name of LARGE) {
      if (OVERHEAD + bytesOf(fitting) <= MAX_BYTES) return fitting;
      if (attributes[name] === undefined) continue;
      attributes[name] = undefined;
      this.#onDropped(name);
      const told = attributes['agent_logbook.truncated'];
      attributes['agent_logbook.truncated'] = [...(Array.isArray(told) ? (told as string[]) : []), name];
      fitting = { ...span, attributes: { ...attributes } };
    }
    return fitting;
  }
}

/** How long a span is at most in protobuf: its JSON is never shorter. */
function bytesOf(span: OtlpSpan): number {
  return Buffer.byteLength(JSON.stringify(span));
}
