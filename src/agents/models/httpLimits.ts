import type { KnownOptions } from '../../core/checkOptions.js';
import { DEFAULT_MAX_SILENCE_MS } from '../../core/ports/model.js';

/** How long each part of an exchange may take, in milliseconds, and how large a response may be. */
export interface HttpLimits {
  /** Until the connection is established, including TLS. */
  readonly connectMs: number;
  /** From then until the first byte of the answer's body; a local model may read a long prompt first. */
  readonly firstByteMs: number;
  /** Between two pieces of the body; keep-alive comments count as pieces. */
  readonly idleMs: number;
  /** For the whole exchange. */
  readonly totalMs: number;
  /** The size of the body in bytes. */
  readonly bodyBytes: number;
}

/** What `HttpLimits` may hold. */
export const httpLimitKinds: KnownOptions<HttpLimits> = {
  connectMs: 'count',
  firstByteMs: 'count',
  idleMs: 'count',
  totalMs: 'count',
  bodyBytes: 'count',
};

/** 15 s to connect, 5 min to the first byte, 1 min between bytes, 30 min in total; 64 MiB. */
export const DEFAULT_HTTP_LIMITS: HttpLimits = {
  connectMs: 15_000,
  firstByteMs: 300_000,
  idleMs: DEFAULT_MAX_SILENCE_MS,
  totalMs: 1_800_000,
  bodyBytes: 64 * 1024 * 1024,
};
