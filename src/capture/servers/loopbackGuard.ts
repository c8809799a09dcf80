import type { IncomingMessage } from 'node:http';
import { isLoopback } from '../../core/loopback.js';
import { Refusal } from './refusal.js';

/**
 * Refuses what a page of the web may have sent: a request for another host than this machine (a name that an attacker
 * points here) and one that a page from elsewhere makes. Throws a `Refusal`.
 */
export function requireLoopback({ headers }: Pick<IncomingMessage, 'headers'>): void {
  if (!isLoopback(hostName(`http://${headers.host ?? ''}`)))
    throw new Refusal(
      403,
      'Only requests for this machine are answered: use http://127.0.0.1 with the port.',
    );
  const { origin } = headers;
  const isElsewhere = origin !== undefined && !isLoopback(hostName(origin));
  if (isElsewhere || headers['sec-fetch-site'] === 'cross-site')
    throw new Refusal(403, 'Requests of web pages are not answered.');
}

/** The host of an address as the URL standard writes it; '' for what is no address. */
function hostName(address: string): string {
  try {
    return new URL(address).hostname;
  } catch {
    return '';
  }
}
