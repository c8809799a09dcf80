import type { KnownOptions } from '../../core/checkOptions.js';
import type { EndpointUrl } from './endpointUrl.js';
import type { HttpLimits } from './httpLimits.js';

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
