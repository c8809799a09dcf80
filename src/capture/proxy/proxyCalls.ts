import type { ListenOptions } from '../servers/listenOptions.js';
import type { ExchangeSink } from './exchanges.js';
import type { Environment, ProviderName } from './upstreams.js';

/** What says where requests to models go. */
export interface ProxyAddresses extends Pick<ListenOptions, 'port'> {
  /** The variables of the person's own environment that name model APIs. */
  readonly environment: Environment;
  /** Addresses from settings, by wire format. */
  readonly addresses: Partial<Record<ProviderName, string>>;
}

/** The same, and where what they say is recorded. */
export interface ProxyOptions extends ListenOptions, ProxyAddresses {}

/** What the thread that passes requests on answers; each rejects with words for a person. */
export interface ProxyCalls {
  /** Begins to pass requests on; gives the address. */
  listen(options: ProxyAddresses): Promise<string>;
  /** Ends all connections; resolves when what went past is recorded. */
  close(): Promise<void>;
}

/** What it asks of the thread that records. */
export interface ProxyHostCalls extends ExchangeSink {
  /** What was refused or went wrong, in words. */
  problem(words: string): void;
}
