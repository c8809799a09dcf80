import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';
import { parseArchiveAddress } from '../../src/archive/archiveAddress.js';
import { ArchiveConnection } from '../../src/archive/archiveConnection.js';
import { checkSchema } from '../../src/archive/archiveSchema.js';
import { OWNER, PASSWORD, postgresAddress, PostgresServer, type ServerOptions } from './postgresServer.js';
import { sharedPart } from './sharedPart.js';

/** The server of all test files: nobody may stop it or change what is the server's as a whole. */
export function testArchives() {
  let port = 0;
  beforeAll(async () => {
    port = await sharedPart<number>('postgres');
  }, 120_000);
  return archivesOn(() => ({
    address: (database: string, user = OWNER) => postgresAddress({ port, database, user }),
  }));
}

/** A server for the tests of one file alone, which may kill it. */
export function ownArchives(options: ServerOptions = {}) {
  let server: PostgresServer | undefined;
  beforeAll(async () => {
    server = await PostgresServer.start(options);
  }, 120_000);
  afterAll(() => server?.remove());
  return archivesOn(() => {
    if (!server) throw new Error('The server did not start.');
    return server;
  });
}

/** Each test may have archives of its own on a server. */
function archivesOn<Server extends Pick<PostgresServer, 'address'>>(running: () => Server) {
  const connect = (database = 'postgres', user = OWNER, password = PASSWORD) =>
    ArchiveConnection.open(parseArchiveAddress(running().address(database, user)), {
      password: () => Promise.resolve(password),
    });
  /** The name of a new, empty database. */
  const database = async (): Promise<string> => {
    const name = `archive_${randomUUID().replaceAll('-', '')}`;
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
