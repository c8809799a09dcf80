import type { IncomingMessage } from 'node:http';
import { isLoopback } from '../../core/loopback.js';
import { Refusal } from './refusal.js';

/** What of a request says who sent it, and where to. */
type Asked = Pick<IncomingMessage, 'headers' | 'rawHeaders'> & {
  readonly socket: Pick<IncomingMessage['socket'], 'localPort'>;
};

/** What a browser says of who makes a request, where that is a page of the same origin or a person. */
const OWN_SITES: ReadonlySet<string> = new Set(['same-origin', 'none']);

/**
 * Refuses what no program on this machine would send here: a request for another host (a name that an attacker points here)
 * or for two, one that a page makes, be it served by another port of this machine, and one that wants a WebSocket. Throws a
 * `Refusal`.
 */
export function requireLoopback({ headers, rawHeaders, socket }: Asked): void {
  // Node keeps the first of several; whoever stands before or behind us may take another one.
  if (rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length > 1)
    throw new Refusal(400, 'A request names one host.');
  if (!isLoopback(hostName(`http://${headers.host ?? ''}`)))
    throw new Refusal(
      403,
      'Only requests for this machine are answered: use http://127.0.0.1 with the port.',
    );
  const { origin, upgrade = '' } = headers;
  const isElsewhere = origin !== undefined && !isOwn(origin, socket.localPort);
  const site = headers['sec-fetch-site'];
  if (isElsewhere || (typeof site === 'string' && !OWN_SITES.has(site)))
    throw new Refusal(403, 'Requests of web pages are not answered.');
  if (upgrade.toLowerCase().includes('websocket'))
    throw new Refusal(501, 'WebSockets are not passed on. Ask by plain HTTP.');
}

/** Whether an origin is this server itself. */
function isOwn(origin: string, port: number | undefined): boolean {
  const address = addressIn(origin);
  return address !== undefined && isLoopback(address.hostname) && Number(address.port || 80) === port;
}

/** The host of an address as the URL standard writes it; '' for what is no address. */
function hostName(address: string): string {
  return addressIn(address)?.hostname ?? '';
}

function addressIn(address: string): URL | undefined {
  return URL.canParse(address) ? new URL(address) : undefined;
}
