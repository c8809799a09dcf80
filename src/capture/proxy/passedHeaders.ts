import type { IncomingMessage } from 'node:http';
import { Refusal } from '../servers/refusal.js';

/** A header as it came: its name, and its value with a character for each byte. */
type Header = readonly [name: string, value: string];

/** The headers that concern one connection only, by RFC 9110 section 7.6.1. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** What is written anew for a request that goes on. */
const OWN = new Set(['host', 'accept-encoding', 'content-length', 'expect']);

/** The methods whose requests say that they have no body, by RFC 9110 section 8.6. */
const WITH_BODY = new Set(['POST', 'PUT', 'PATCH']);

/** The encodings that a copy can be read in; an answer in another one could not be recorded. */
const READABLE = /^\s*(?:gzip|x-gzip|deflate|br|identity|\*)\s*(?:;|$)/i;

/** The headers with which a request goes on to an address, as a list of names and values. Throws a `Refusal`. */
export function headersOn(request: IncomingMessage, target: URL): readonly string[] {
  const encodings = (request.headers['accept-encoding'] ?? '')
    .split(',')
    .filter((each) => READABLE.test(each) && !each.trim().startsWith('*'))
    .join(',');
  return [
    'host',
    target.host,
    ...passing(request).flatMap(([name, value]) => (OWN.has(name.toLowerCase()) ? [] : [name, value])),
    'accept-encoding',
    encodings === '' ? 'identity' : encodings,
    ...framingOf(request),
  ];
}

/**
 * The header that says where the body ends, as the request itself said it: without one, what a body holds would be the
 * next request of the connection, for which Node cares with some methods only.
 */
function framingOf({ headers, method = '' }: IncomingMessage): readonly string[] {
  const coding = headers['transfer-encoding'];
  if (coding !== undefined) {
    if (coding.trim().toLowerCase() === 'chunked') return ['transfer-encoding', 'chunked'];
    throw new Refusal(501, 'Of transfer codings only chunked is passed on.');
  }
  const length = headers['content-length'] ?? (WITH_BODY.has(method) ? '0' : undefined);
  return length === undefined ? [] : ['content-length', length];
}

/** The headers with which an answer goes back, as a list of names and values. */
export function headersBack(answer: IncomingMessage): string[] {
  return passing(answer).flat();
}

function passing({ headers, rawHeaders }: IncomingMessage): readonly Header[] {
  const named = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase());
  return pairs(rawHeaders).filter(([name]) => {
    const known = name.toLowerCase();
    // The length belongs to the body, whatever the connection says of it.
    return known === 'content-length' || !(HOP_BY_HOP.has(known) || named.includes(known));
  });
}

function pairs(raw: readonly string[]): readonly Header[] {
  return raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ''] as const] : []));
}
