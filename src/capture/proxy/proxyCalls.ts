import type { ProxyAddresses } from '../captureCalls.js';
import type { ExchangeSink } from './exchanges.js';

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
