import { readFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import type { Client } from 'pg';
import { onAbort } from '../core/abort.js';
import { allEnded } from '../core/allEnded.js';
import { t } from '../core/l10n.js';
import { messageOf } from '../core/text.js';
import { ArchiveError, archiveErrorOf, NotADatabase } from './archiveError.js';
import type { ArchiveAddress } from './archiveAddress.js';

/** How long connecting may take, and one statement, in milliseconds. */
const CONNECT_MS = 15_000;
const STATEMENT_MS = 300_000;
/** PostgreSQL's number of the type bigint, whose values come as texts. */
const BIGINT = 20;

/** One value of a row: what the columns of the archive may hold. */
export type Cell = string | number | boolean | Buffer | null | readonly string[];
/** A row by the names of its columns. */
export type Row = Readonly<Record<string, Cell>>;

/** What a statement is given for its `$1`, `$2` …; texts must hold no NUL. */
export type Parameter = Cell | readonly (string | number | boolean | Buffer | null)[];

/** How somebody connects. */
export interface Connecting {
  /** Asked for where the address has none; undefined: there is none. */
  readonly password?: (() => Promise<string | undefined>) | undefined;
  /** Breaks the connection off, whatever is under way. */
  readonly signal?: AbortSignal | undefined;
}

/** A connection to the archive. Every failure is an ArchiveError. */
export class ArchiveConnection {
  readonly place: string;
  readonly #client: Client;
  readonly #socket: Socket;
  #isBroken = false;
  /** Why the first statement of a transaction failed that did. */
  #failures: { first?: ArchiveError } = {};
  /** How many statements wait for their answers. */
  #waiting = 0;
  #signal: AbortSignal | undefined;
  readonly #leave: () => void;

  private constructor(address: ArchiveAddress, client: Client, socket: Socket, signal?: AbortSignal) {
    this.place = address.place;
    this.#client = client;
    this.#socket = socket;
    this.#signal = signal;
    // What is under way rejects by itself; without a listener the process would end.
    client.on('error', () => (this.#isBroken = true));
    client.on('end', () => (this.#isBroken = true));
    this.#leave = onAbort(signal, () => void socket.destroy());
  }

  /** Rejects with an ArchiveError, or with the signal's reason. */
  static async open(
    address: ArchiveAddress,
    { password, signal }: Connecting = {},
  ): Promise<ArchiveConnection> {
    signal?.throwIfAborted();
    const { Client } = await import('./pgPackage.js');
    const socket = new Socket();
    const problem = { web: false };
    socket.once('data', (bytes: Buffer) => {
      if (!/^(?:HTTP\/|<)/.test(bytes.toString('latin1', 0, 8))) return;
      problem.web = true;
      socket.destroy();
    });
    const { host, port, user, database } = address;
    const client = new Client({
      host,
      port,
      user,
      database,
      ssl: await sslOf(address),
      stream: () => socket,
      // A function, so that no file or variable of this machine is asked in its place.
      password: async () => address.password ?? (await password?.()) ?? '',
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: STATEMENT_MS,
      keepAlive: true,
      options: '',
      // Statements are sent without waiting for the answers to those before, which come in order.
      application_name: 'agent-logbook',
      client_encoding: 'UTF8',
      pipeline: true,
      types: { getTypeParser: parserOf },
    });
    const connection = new ArchiveConnection(address, client, socket, signal);
    try {
      await client.connect();
      return connection;
    } catch (error) {
      await connection.close();
      signal?.throwIfAborted();
      throw archiveErrorOf(problem.web ? new NotADatabase(messageOf(error)) : error, address.place);
    }
  }

  /** Whether nothing can be asked any more. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Whether a statement waits for its answer, so that another would have to wait for it. */
  get isBusy(): boolean {
    return this.#waiting > 0;
  }

  /**
   * Runs a statement of the archive's own, to which others' values are given as parameters only; after those that were asked
   * for before.
   */
  async query(
    text: string,
    values: readonly Parameter[] = [],
  ): Promise<{ readonly rows: readonly Row[]; readonly count: number }> {
    this.#waiting++;
    try {
      const { rows, rowCount } = await this.#client.query<Record<string, Cell>>({
        text,
        values: [...values],
      });
      return { rows, count: rowCount ?? 0 };
    } catch (error) {
      this.#signal?.throwIfAborted();
      const failure = archiveErrorOf(error, this.place);
      this.#failures.first ??= failure;
      throw failure;
    } finally {
      this.#waiting--;
    }
  }

  /**
   * Does some work as a whole or not at all. Statements that need not know what the others answer may all be asked for at
   * once: they are done in this order, and none after one that fails. The work must end only when all of them have: what comes
   * later is in no transaction.
   */
  async transaction<T>(work: () => Promise<T>): Promise<T> {
    const failures = (this.#failures = {} as { first?: ArchiveError });
    try {
      const [, done] = await allEnded([this.query('BEGIN'), work()]);
      await this.query('COMMIT');
      return done;
    } catch (error) {
      const { first } = failures;
      // Where the connection broke off, the server takes it back by itself.
      if (!this.#isBroken) await this.query('ROLLBACK').catch(() => undefined);
      // Those behind the first that fails fail for no reason of their own.
      throw first ?? error;
    }
  }

  /** Ends it. Never rejects. */
  async close(): Promise<void> {
    this.#leave();
    this.#signal = undefined;
    if (this.#isBroken) this.#socket.destroy();
    // Where the server is gone, so is the connection.
    else await this.#client.end().catch(() => undefined);
    this.#isBroken = true;
    this.#socket.destroy();
  }
}

async function sslOf({ tls, rootCertificate, place }: ArchiveAddress) {
  if (tls === 'none') return false;
  if (rootCertificate === undefined) return { rejectUnauthorized: true };
  try {
    return { rejectUnauthorized: true, ca: await readFile(rootCertificate, 'utf8') };
  } catch (error) {
    throw new ArchiveError(
      t`The certificate file ${rootCertificate} in the address of ${place} cannot be read: ${messageOf(error)}`,
      'refused',
    );
  }
}

function parserOf(type: number): (text: string) => unknown {
  return type === BIGINT ? Number : (PARSERS.get(type) ?? ((text) => text));
}

const BOOL = 16;
const BYTEA = 17;
const INT4 = 23;
const FLOAT8 = 701;

const PARSERS: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [BOOL, (text) => text === 't'],
  [BYTEA, (text) => Buffer.from(text.slice(2), 'hex')],
  [INT4, Number],
  [FLOAT8, Number],
]);
