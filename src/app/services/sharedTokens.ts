import type { Log } from '../../core/ports/log.js';
import type { ReadRecord } from '../../core/ports/transcript.js';
import { countedRecords, type CountedRecords, countsOfRecords } from '../../query/tokens/countedRecords.js';
import type { TokenService } from '../../query/tokens/tokenService.js';
import { features } from '../features/features.js';

/** The window's shared token counter; its thread starts with the first count. */
export class SharedTokens {
  readonly #log: Log;
  #service: Promise<TokenService> | undefined;
  #disposed = false;

  constructor(log: Log) {
    this.#log = log;
  }

  /** See {@link countedRecords}. */
  counted(records: AsyncIterable<ReadRecord>, signal: AbortSignal): CountedRecords {
    const countsOf = async (batch: readonly ReadRecord[]) =>
      countsOfRecords(await (this.#service ??= this.#start()), batch, signal);
    return countedRecords(records, { countsOf, log: this.#log, signal });
  }

  dispose(): void {
    this.#disposed = true;
    void this.#service?.then((service) => service.dispose());
  }

  async #start(): Promise<TokenService> {
    const { TokenService } = await features.transcripts();
    const service = new TokenService();
    if (this.#disposed) service.dispose();
    return service;
  }
}
