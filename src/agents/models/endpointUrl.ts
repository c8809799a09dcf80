import { isLoopback } from '../../core/loopback.js';
import { messageOf } from '../../core/text.js';

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
