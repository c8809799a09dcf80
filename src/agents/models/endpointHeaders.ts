import type { Endpoint } from './endpoint.js';

/** The headers of every request to an endpoint: its own, and the key where there is one. Names in lower case. */
export function headersFor(endpoint: Endpoint, key: string | undefined): Readonly<Record<string, string>> {
  const { headers = {}, keyHeader } = endpoint;
  const own = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  if (key === undefined || key === '') return own;
  return { ...own, ...(keyHeader === undefined ? { authorization: `Bearer ${key}` } : { [keyHeader]: key }) };
}
