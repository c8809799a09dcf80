import type { EventEmitter } from 'node:events';
import { readFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import type { Client } from 'pg';
import { setTimeout as pause } from 'node:timers/promises';
import { onAbort } from '../core/abort.js';
import { allEnded } from '../core/allEnded.js';
import { backoffMs } from '../core/backoff.js';
import { t } from '../core/l10n.js';
import { messageOf } from '../core/text.js';
import { ArchiveError, archiveErrorOf, codeOfCause, NotADatabase, notInClear } from './archiveError.js';
import type { ArchiveAddress } from './archiveAddress.js';

/** How long connecting may take, and one statement, in milliseconds. */
const CONNECT_MS = 15_000;
const STATEMENT_MS = 300_000;
/** PostgreSQL's number of the type bigint, whose values come as texts. */
const BIGINT = 20;

/** Others did something at the same time, so that it has to be done once more: they do not fit in one order, or waited for each other. */
const AGAIN = /^(?:40001|40P01)$/;
/** How often it is done in all, and how long the waits between are. */
const MAX_TRIES = 8;
const WAITS = { firstMs: 20, maxMs: 1_000, jitter: 0.5 };

/** One value of a row: what the columns of the archive may hold. */
export type Cell = string | number | boolean | Buffer | null | readonly string[];
/** A row by the names of its columns. */
export type Row = Readonly<Record<string, Cell>>;

/** What a statement is given for its `$1`, `$2` …; texts must hold no NUL. */
export type Parameter = Cell | readonly (string | number | boolean | Buffer | null)[];

/** What a statement came to. */
interface Answered {
  readonly rows: readonly Row[];
  readonly count: number;
}

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
  #isInTransaction = false;
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
    const problem: { other?: NotADatabase; isClear?: boolean } = {};
    socket.once('data', (bytes: Buffer) => {
      if (isPostgres(bytes)) return;
      problem.other = new NotADatabase(bytes.toString('latin1', 0, 200));
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
      password: async () => {
        if (problem.isClear === true && address.tls === 'none' && !address.allowsClear)
          throw notInClear(address.place);
        return address.password ?? (await password?.()) ?? '';
      },
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
    // Before the client's own, which asks for the password.
    const messages = (client as unknown as { readonly connection: EventEmitter }).connection;
    messages.prependListener('authenticationCleartextPassword', () => (problem.isClear = true));
    const connection = new ArchiveConnection(address, client, socket, signal);
    try {
      await client.connect();
      return connection;
    } catch (error) {
      await connection.close();
      signal?.throwIfAborted();
      throw archiveErrorOf(problem.other ?? error, address.place);
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
  async query(text: string, values: readonly Parameter[] = []): Promise<Answered> {
    return this.#isInTransaction ? this.#ask(text, values) : this.#tried(() => this.#ask(text, values));
  }

  /** Does what others at the same time made fail once more, a few times. */
  async #tried<T>(work: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++)
      try {
        return await work();
      } catch (error) {
        if (tries >= MAX_TRIES || this.#isBroken || !AGAIN.test(codeOfCause(error))) throw error;
        const signal = this.#signal;
        await pause(backoffMs(tries, WAITS, Math.random), undefined, signal ? { signal } : {});
      }
  }

  async #ask(text: string, values: readonly Parameter[]): Promise<Answered> {
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
   * later is in no transaction. It is done once more where others at the same time made it fail.
   */
  transaction<T>(work: () => Promise<T>): Promise<T> {
    return this.#tried(() => this.#inTransaction(work));
  }

  async #inTransaction<T>(work: () => Promise<T>): Promise<T> {
    this.#isInTransaction = true;
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
    } finally {
      this.#isInTransaction = false;
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
  const ca = await readFile(rootCertificate, 'utf8').catch((error: unknown) => {
    throw new ArchiveError(
      t`The certificate file ${rootCertificate} in the address of ${place} cannot be read: ${messageOf(error)}`,
      'refused',
    );
  });
  if (ca.includes('-----BEGIN CERTIFICATE-----')) return { rejectUnauthorized: true, ca };
  throw new ArchiveError(
    t`The certificate file ${rootCertificate} in the address of ${place} holds no certificate (PEM).`,
    'refused',
  );
}

/** Whether a server may be one of PostgreSQL's protocol, by the first that it says: about TLS, who it is, or what is wrong. */
function isPostgres(bytes: Buffer): boolean {
  const kind = String.fromCharCode(bytes[0] ?? 0);
  if (bytes.length === 1) return 'SNREv'.includes(kind);
  // Behind the kind stands a length, and none of these is long.
  return 'RENv'.includes(kind) && bytes[1] === 0 && (bytes[2] ?? 0) === 0;
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
