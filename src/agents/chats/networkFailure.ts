import { errorCode } from '../../core/errorCode.js';

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
