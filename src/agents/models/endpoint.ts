import type { KnownOptions } from '../../core/checkOptions.js';
import type { HttpLimits } from './httpLimits.js';
import { isLoopback } from '../../core/loopback.js';
import { messageOf } from '../../core/text.js';

/** A server of models, validated from the settings. */
export interface Endpoint {
  /** Unique among the endpoints; part of the ids of its models. */
  readonly name: string;
  readonly url: EndpointUrl;
  /** Sent with each request; a key does not belong here. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The header that contains the plain key; absent: `authorization`, as a bearer token. */
  readonly keyHeader?: string;
  /** Merged into the body of each request. */
  readonly extraBody?: Readonly<Record<string, unknown>>;
  /** The models to offer; absent: those that the endpoint lists. */
  readonly models?: readonly string[];
  readonly limits?: Partial<HttpLimits>;
}

/** What an `Endpoint` may hold. */
export const endpointKinds: KnownOptions<Endpoint> = {
  name: 'text',
  url: 'object',
  headers: 'object',
  keyHeader: 'text',
  extraBody: 'object',
  models: 'list',
  limits: 'object',
};

/** The headers of every request to an endpoint: its own, and the key where there is one. Names in lower case. */
export function headersFor(endpoint: Endpoint, key: string | undefined): Readonly<Record<string, string>> {
  const { headers = {}, keyHeader } = endpoint;
  const own = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  if (key === undefined || key === '') return own;
  return { ...own, ...(keyHeader === undefined ? { authorization: `Bearer ${key}` } : { [keyHeader]: key }) };
}

/** The URL of an endpoint, without a trailing slash, and its query. */
export interface EndpointUrl {
  readonly base: string;
  readonly query: Readonly<Record<string, string>>;
}

/**
 * Parses the base URL of an endpoint as a person wrote it; a bare host gets `/v1`. A string tells what is wrong: keys
 * are sent with the requests, so plain http is allowed for this machine only, and the URL must contain no secret.
 */
export function parseEndpointUrl(text: string): EndpointUrl | string {
  let url: URL;
  try {
    url = new URL(text);
  } catch (error) {
    return `'${text}' is not a URL: ${messageOf(error)}.`;
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return `'${text}' is neither http nor https.`;
  if (url.username !== '' || url.password !== '')
    return 'The URL holds a user or password; keys are kept apart.';
  if (url.hash !== '') return `'${text}' has a part after '#', which no server sees.`;
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    return `'${text}' is plain http to another machine; that would show the key to everybody between. Use https.`;
  }
  const path = url.pathname.replace(/\/+$/, '');
  return { base: `${url.origin}${path === '' ? '/v1' : path}`, query: Object.fromEntries(url.searchParams) };
}

/** The address of one of an endpoint's resources, like `/models`, with the endpoint's query. */
export function addressOf({ base, query }: EndpointUrl, path: string): string {
  const parameters = new URLSearchParams(query).toString();
  return `${base}${path}${parameters === '' ? '' : `?${parameters}`}`;
}
