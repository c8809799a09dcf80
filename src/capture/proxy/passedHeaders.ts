import type { IncomingHttpHeaders } from 'node:http';

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

function passing(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const named = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase());
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || HOP_BY_HOP.has(name) || named.includes(name) ? [] : [[name, value]],
    ),
  );
}

/** The encodings that a copy can be read in; an answer in another one could not be recorded. */
const READABLE = /^\s*(?:gzip|x-gzip|deflate|br|identity|\*)\s*(?:;|$)/i;

/** The headers with which a request goes on to an address. */
export function headersOn(headers: IncomingHttpHeaders, target: URL): Record<string, string | string[]> {
  const on = passing(headers);
  delete on.expect;
  const encodings = (headers['accept-encoding'] ?? '')
    .split(',')
    .filter((each) => READABLE.test(each) && !each.trim().startsWith('*'))
    .join(',');
  return {
    ...on,
    host: target.host,
    'accept-encoding': encodings === '' ? 'identity' : encodings,
  };
}

/** The headers with which an answer goes back. */
export function headersBack(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  return passing(headers);
}
