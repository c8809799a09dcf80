/** What an attribute of a span may say. */
export type AttributeValue = string | number | boolean | readonly string[];

/** Attributes by their names; what is undefined is not written. */
export type Attributes = Readonly<Record<string, AttributeValue | undefined>>;

/** Something that happened within a span. */
export interface OtlpEvent {
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly attributes: Attributes;
}

/** A span of a trace, before it is written in one of the encodings of OTLP. */
export interface OtlpSpan {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** That of the span around it; absent for the root of a trace. */
  readonly parentSpanId?: string;
  readonly name: string;
  /** Whether it is a request to another program. */
  readonly isClient: boolean;
  /** Milliseconds since 1970; the end is never before the start. */
  readonly start: number;
  readonly end: number;
  readonly attributes: Attributes;
  readonly events: readonly OtlpEvent[];
  /** What failed, in words; absent where nothing did. */
  readonly error?: string;
}

/** The last millisecond that the 64 bits of OTLP's nanoseconds can hold. */
const LAST_MS = 18_446_744_073_709;

/** A time in nanoseconds, as text; what OTLP has no time for is the first or the last one that it has. */
export function nanosOf(ms: number): string {
  const whole = Math.min(LAST_MS, Math.max(0, Math.round(ms)));
  return whole === 0 ? '0' : `${whole}000000`;
}
