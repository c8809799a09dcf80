import { parseArchiveAddress } from './archiveAddress.js';
import { ArchiveConnection } from './archiveConnection.js';
import { checkSchema } from './archiveSchema.js';

/** How long a connection stays open without a question, in milliseconds. */
const IDLE_MS = 60_000;

/** How an archive is reached. Plain data. */
export interface ArchiveLogin {
  readonly address: string;
  /** Undefined for none. */
  readonly password: string | undefined;
}

interface PooledConnection {
  readonly key: string;
  readonly opening: Promise<ArchiveConnection>;
  readonly stop: AbortController;
  open?: ArchiveConnection;
}

/** A connection to an archive that is kept between questions, and given up where a statement waits that nobody wants any more. */
export class CachedConnection {
  #kept: PooledConnection | undefined;
  #rest: NodeJS.Timeout | undefined;

  /** A connection that is free for a new question. Rejects with an ArchiveError. */
  async free(login: ArchiveLogin): Promise<ArchiveConnection> {
    if (this.#kept?.open?.isBusy === true) this.giveUp();
    return await this.connected(login);
  }

  /** The connection, or another one after it broke off. Rejects with an ArchiveError. */
  async connected({ address, password }: ArchiveLogin): Promise<ArchiveConnection> {
    const key = JSON.stringify([address, password]);
    if (this.#kept && (this.#kept.key !== key || this.#kept.open?.isBroken === true)) this.giveUp();
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => this.#restNow(), IDLE_MS).unref();
    const kept = (this.#kept ??= newConnection(key, address, password));
    try {
      return await kept.opening;
    } catch (error) {
      // The next question tries again.
      if (this.#kept === kept) this.giveUp();
      throw error;
    }
  }

  /** Ends it at once, whatever is under way. */
  giveUp(): void {
    const kept = this.#kept;
    this.#kept = undefined;
    clearTimeout(this.#rest);
    kept?.stop.abort(new Error('It was given up.'));
  }

  #restNow(): void {
    if (this.#kept?.open?.isBusy === true) this.#rest = setTimeout(() => this.#restNow(), IDLE_MS).unref();
    else this.giveUp();
  }
}

function newConnection(key: string, address: string, password: string | undefined): PooledConnection {
  const stop = new AbortController();
  const kept: PooledConnection = { key, stop, opening: open() };
  return kept;

  async function open(): Promise<ArchiveConnection> {
    const connection = await ArchiveConnection.open(parseArchiveAddress(address), {
      password: () => Promise.resolve(password),
      signal: stop.signal,
    });
    try {
      await checkSchema(connection, false);
    } catch (error) {
      await connection.close();
      throw error;
    }
    kept.open = connection;
    return connection;
  }
}
