import { createHash } from 'node:crypto';
import type { UntypedMessage } from '../../query/numbers/transcriptItem.js';

/** The value if it is a text, else ''. */
export const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The value if it is a finite number. */
export const numberIn = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;

/** Whether a text has halves of characters, which no protobuf can hold. */
export const hasHalves = (text: string): boolean => /\p{Surrogate}/u.test(text);

/** The code and the words of a failure, as far as it has any. */
export function failureOf({ code, message }: UntypedMessage): {
  readonly code?: string;
  readonly message?: string;
} {
  return {
    ...(typeof code === 'string' && { code }),
    ...(typeof message === 'string' && { message }),
  };
}

/** Why a request failed, in words. */
export function failureWords(failure: UntypedMessage): string {
  return failureOf(failure).message ?? failureOf(failure).code ?? 'It failed.';
}

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

/** The id of the trace of a run: the same each time that it is made. */
export function traceIdOf(conversation: string, run: string): string {
  return idOf([conversation, 'run', run], 32);
}

/** The id of a span, made of what it is about; some backends take a span's id for one of all traces, so the conversation is in it. */
export function spanIdOf(conversation: string, ...about: readonly (string | number)[]): string {
  return idOf([conversation, ...about], 16);
}

/** Hexadecimal digits that are not all zero, which OTLP forbids. */
function idOf(about: readonly (string | number)[], digits: number): string {
  const hash = createHash('sha256').update(JSON.stringify(about)).digest('hex').slice(0, digits);
  return /[^0]/.test(hash) ? hash : `${hash.slice(1)}1`;
}
