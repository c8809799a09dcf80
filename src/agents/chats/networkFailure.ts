import { errorCode } from '../../core/errorCode.js';
import { backoffMs, type Backoff } from '../../core/backoff.js';
import { onAbort } from '../../core/abort.js';
import type { Disposable } from '../../core/event.js';
import type { Timers } from '../../core/timers.js';

/** From a second to a minute, doubling: short enough that a chat recovers soon after its platform. */
const BACKOFF: Backoff = { firstMs: 1_000, maxMs: 60_000, jitter: 0.5 };
/** No wait is longer, because timers overflow beyond 24.8 days. */
const MAX_TIMER_MS = 24 * 60 * 60 * 1000;

/**
 * How long to wait after a number of consecutive failures, in milliseconds: doubling, with up to half of it random, so
 * that clients do not all return at once, and never less than the platform asked for.
 */
export function connectorRetryDelay(
  failures: number,
  retryAfterMs: number | undefined,
  random: () => number,
): number {
  return Math.min(Math.max(backoffMs(failures, BACKOFF, random), retryAfterMs ?? 0), MAX_TIMER_MS);
}

/** Codes of failures before anything was sent: no address, no route, no listener, no trust. */
const neverSent =
  /^(ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_\w+|CERT_\w+|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+)$/;

/** How many causes are followed; a chain may be circular. */
const DEEPEST = 8;

/** Whether a request failed before anything was sent, so that a retry cannot have an effect twice. */
export function wasNeverSent(error: unknown): boolean {
  return causesOf(error).some((cause) => {
    if ('syscall' in cause && cause.syscall === 'connect') return true;
    return neverSent.test(errorCode(cause));
  });
}

/** The message of a failed request: that of the innermost cause that has one. */
export function wordsOf(error: unknown): string {
  const words = causesOf(error).findLast(({ message }) => message !== '');
  return words?.message ?? String(error);
}

function causesOf(error: unknown): readonly Error[] {
  const causes: Error[] = [];
  let next: unknown = error;
  while (next instanceof Error && causes.length < DEEPEST) {
    causes.push(next);
    const [first] = next instanceof AggregateError ? (next.errors as unknown[]) : [];
    next = first ?? ('error' in next ? next.error : next.cause);
  }
  return causes;
}

/** Why a token must not be sent to an address, or undefined: only https, or http on this machine, is allowed. */
export function problemWithRoot(root: string): string | undefined {
  if (!URL.canParse(root)) return `'${root}' is not a URL.`;
  const { protocol, hostname } = new URL(root);
  const local = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  if (protocol === 'https:' || (protocol === 'http:' && local)) return undefined;
  return `'${root}' must begin with https://, so that nobody reads the token on its way.`;
}

/** The text with every occurrence of the secret replaced, even where it is escaped for a URL. */
export function redactToken(text: string, secret: string): string {
  if (secret === '') return text;
  return text.replaceAll(secret, '…').replaceAll(encodeURIComponent(secret), '…');
}

/** The result of the work, or undefined if it has not settled within `graceMs` milliseconds after the signal's abort. */
export function untilStopped<T>(
  work: Promise<T>,
  signal: AbortSignal,
  timers: Timers,
  graceMs: number,
): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    let timer: Disposable | undefined;
    const leave = onAbort(signal, () => {
      timer = timers.after(graceMs, () => resolve(undefined));
    });
    const end = () => {
      leave();
      timer?.dispose();
    };
    work.finally(end).then(resolve, reject);
  });
}
