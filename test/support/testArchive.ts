import { afterAll, beforeAll } from 'vitest';
import { parseArchiveAddress } from '../../src/archive/archiveAddress.js';
import { ArchiveConnection } from '../../src/archive/archiveConnection.js';
import { checkSchema } from '../../src/archive/archiveSchema.js';
import { OWNER, PASSWORD, PostgresServer, type ServerOptions } from './postgresServer.js';

/** A server for all tests of a file, each of which may have archives of its own. */
export function testArchives(options: ServerOptions = {}) {
  let server: PostgresServer | undefined;
  let databases = 0;
  beforeAll(async () => {
    server = await PostgresServer.start(options);
  }, 120_000);
  afterAll(() => server?.remove());
  const running = () => {
    if (!server) throw new Error('The server did not start.');
    return server;
  };
  const connect = (database = 'postgres', user = OWNER, password = PASSWORD) =>
    ArchiveConnection.open(parseArchiveAddress(running().address(database, user)), {
      password: () => Promise.resolve(password),
    });
  /** The name of a new, empty database. */
  const database = async (): Promise<string> => {
    const name = `archive${++databases}`;
    const connection = await connect();
    await connection.query(`CREATE DATABASE ${name}`);
    await connection.close();
    return name;
  };
  /** A connection to a new archive. */
  const archive = async (): Promise<{ readonly name: string; readonly connection: ArchiveConnection }> => {
    const name = await database();
    const connection = await connect(name);
    await checkSchema(connection, true);
    return { name, connection };
  };
  return { server: running, connect, database, archive };
}
