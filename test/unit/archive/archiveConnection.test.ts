import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parseArchiveAddress } from '../../../src/archive/archiveAddress.js';
import { ArchiveConnection } from '../../../src/archive/archiveConnection.js';
import { checkSchema } from '../../../src/archive/archiveSchema.js';
import { certificateFor } from '../../support/certificate.js';
import { OWNER, PASSWORD } from '../../support/postgresServer.js';
import { temporaryFolder } from '../../support/storeFixture.js';
import { ownArchives } from '../../support/testArchive.js';

const tls = certificateFor('localhost');
const { server, archive, connect } = ownArchives({ tls });

const open = (address: string, password: string | undefined = PASSWORD) =>
  ArchiveConnection.open(parseArchiveAddress(address), { password: () => Promise.resolve(password) });

/** Why no connection is made. */
async function refusalOf(address: string, password?: string): Promise<string> {
  const connection = await open(address, password).catch((error: unknown) => (error as Error).message);
  if (typeof connection === 'string') return connection;
  await connection.close();
  return 'connected';
}

describe('addresses', () => {
  test.each([
    [
      'postgres://a@db.example.com/team',
      { host: 'db.example.com', port: 5432, tls: 'verified', user: 'a', database: 'team' },
    ],
    [
      'postgresql://a%40b@127.0.0.1:6000/t%20m',
      { tls: 'none', user: 'a@b', database: 't m', place: '127.0.0.1:6000/t m' },
    ],
    [
      'postgres://a@[::1]/team?sslmode=verify-full',
      { host: '::1', tls: 'verified', place: '[::1]:5432/team' },
    ],
    ['postgres://a:p%40ss@localhost/team?sslmode=disable', { tls: 'none', password: 'p@ss' }],
    [
      'postgres://a@h/team?sslmode=require&sslrootcert=/ca.pem',
      { tls: 'verified', rootCertificate: '/ca.pem' },
    ],
    ['postgres://a@localhost/team?sslrootcert=/ca.pem', { tls: 'verified', rootCertificate: '/ca.pem' }],
    ['postgres://a@localhost/team', { tls: 'none', allowsClear: false }],
    ['postgres://a@localhost/team?sslmode=disable', { tls: 'none', allowsClear: true }],
  ])('%s is understood', (address, wanted) => {
    expect(parseArchiveAddress(address)).toMatchObject(wanted);
  });

  test.each([
    ['', 'is written as'],
    ['http://a@h/team', 'is written as'],
    ['postgres://h/team', 'is written as'],
    ['postgres://a@h', 'is written as'],
    ['postgres://a@h/%', 'is written as'],
    ['postgres://a@h/team?sslmode=disable', 'always encrypted'],
    ['postgres://a@h/team?sslmode=prefer', 'always encrypted'],
    ['postgres://a@h/team?options=-c%20x', 'cannot stand'],
    ['postgres://a@h/team?host=/tmp', 'cannot stand'],
    ['postgres://a@localhost/team?sslmode=disable&sslrootcert=/ca.pem', 'cannot both stand'],
    ['postgres://a@h/team?sslrootcert=', 'names no file'],
    ['postgres://a@localhost/team?sslmode=verify-full&sslmode=disable', 'more than once'],
  ])('%s is refused', (address, why) => {
    expect(() => parseArchiveAddress(address)).toThrow(why);
  });
});

describe('connections', () => {
  test('a certificate counts where its authority is named and it is for the host', async () => {
    const file = join(await temporaryFolder(), 'ca.pem');
    await writeFile(file, tls.certificate);
    const { port } = server();
    const address = (host: string, more = '') =>
      `postgres://${OWNER}@${host}:${port}/postgres?sslmode=verify-full${more}`;
    expect(await refusalOf(address('localhost', `&sslrootcert=${file}`))).toBe('connected');
    expect(await refusalOf(address('localhost'))).toContain('Nobody who is trusted here');
    expect(await refusalOf(address('127.0.0.1', `&sslrootcert=${file}`))).toContain('is for another host');
    expect(await refusalOf(address('localhost', '&sslrootcert=/no.pem'))).toContain('/no.pem');
    await writeFile(file, 'no certificate');
    expect(await refusalOf(address('localhost', `&sslrootcert=${file}`))).toContain('holds no certificate');
  });

  test('a wrong password, none at all, and no such database are told', async () => {
    expect(await refusalOf(server().address(), 'wrong')).toContain('does not let this user in');
    expect(await refusalOf(server().address(), '')).toMatch(/password/);
    expect(await refusalOf(server().address('nowhere'))).toContain('no such database');
  });

  test.each([
    ['HTTP/1.1 400 Bad Request\r\nContent-Type: text/html\r\n\r\n<html>no</html>', 'no PostgreSQL'],
    ['<!DOCTYPE html><title>Proxy</title>', 'no PostgreSQL'],
    ['SSH-2.0-OpenSSH_9.2p1\r\n', 'begins with "SSH-2.0'],
    ['J\0\0\0\n8.0.36\0', 'begins with "J'],
    ['-ERR unknown command\r\n', 'begins with "-ERR'],
    ['220 mail.example.com ESMTP\r\n', 'begins with "220 mail'],
    ['Error: what?\n', 'begins with "Error'],
    ['RTSP/1.0 400\r\n', 'begins with "RTSP'],
  ])('what is no database is told: %j', async (answer, why) => {
    const proxy = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end(answer));
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void proxy.close());
    await once(proxy, 'listening');
    const { port } = proxy.address() as AddressInfo;
    for (const mode of ['disable', 'verify-full'])
      expect(await refusalOf(`postgres://a@127.0.0.1:${port}/team?sslmode=${mode}`)).toContain(why);
    proxy.close();
    await once(proxy, 'close');
    expect(await refusalOf(`postgres://a@127.0.0.1:${port}/team`)).toContain('No server answers');
  });

  test.each([
    ['', 'wants the password in clear', false],
    ['?sslmode=disable', 'connected', true],
  ])('a password in clear: %s', async (parameters, told, isSent) => {
    let heard = '';
    const clear = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => {
        socket.write(Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]));
        socket.on('data', (bytes) => {
          heard += bytes.toString('latin1');
          socket.write(Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]));
        });
      });
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void clear.close());
    await once(clear, 'listening');
    const { port } = clear.address() as AddressInfo;
    expect(await refusalOf(`postgres://a@127.0.0.1:${port}/team${parameters}`, 'sesame')).toContain(told);
    expect(heard.includes('sesame')).toBe(isSent);
  });

  test.each([
    ['CREATE TABLE agent_logbook.users (id int)', 'users in it is no table'],
    ['CREATE VIEW agent_logbook.records AS SELECT 1 AS position', 'records in it is no table'],
    ['CREATE TABLE agent_logbook.meta (name int, value text)', 'meta in it is no table'],
    ['CREATE TABLE agent_logbook.meta (key text, val text)', 'meta in it is no table'],
    [
      `CREATE TABLE agent_logbook.meta (name text PRIMARY KEY, value text); INSERT INTO agent_logbook.meta VALUES ('version', 'v2-beta')`,
      '"v2-beta"',
    ],
    [
      `CREATE TABLE agent_logbook.meta (name text PRIMARY KEY, value text); INSERT INTO agent_logbook.meta VALUES ('version', '')`,
      '""',
    ],
  ])('a schema of somebody else stays as it is: %s', async (statements, why) => {
    const { connection } = await archive();
    onTestFinished(() => connection.close());
    await connection.query('DROP SCHEMA agent_logbook CASCADE');
    await connection.query('CREATE SCHEMA agent_logbook');
    for (const each of statements.split('; ')) await connection.query(each);
    const tables = async () =>
      (
        await connection.query(
          `SELECT relname FROM pg_class WHERE relnamespace = 'agent_logbook'::regnamespace ORDER BY 1`,
        )
      ).rows;
    const before = await tables();
    await expect(checkSchema(connection, true)).rejects.toThrow(why);
    expect(await tables()).toEqual(before);
  });

  test('what others made fail is done again, a statement and a transaction, and not for ever', async () => {
    const { name, connection } = await archive();
    onTestFinished(() => connection.close());
    await connection.query('CREATE TABLE counts (id int PRIMARY KEY, n int)');
    await connection.query('INSERT INTO counts VALUES (1, 0)');
    const others = await Promise.all(Array.from({ length: 4 }, () => connect(name)));
    onTestFinished(async () => void (await Promise.all(others.map((each) => each.close()))));
    for (const each of others)
      await each.query('SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE');
    const add = (each: ArchiveConnection) => each.query('UPDATE counts SET n = n + 1 WHERE id = 1');
    const added = others.flatMap((each) => [
      async () => void (await add(each)),
      () => each.transaction(async () => void (await add(each))),
    ]);
    for (const each of added.slice(0, 4)) await each();
    await Promise.all(
      others.map(async (each) => {
        for (let at = 0; at < 3; at++) await each.transaction(async () => void (await add(each)));
      }),
    );
    const { rows } = await connection.query('SELECT n FROM counts');
    expect(rows).toEqual([{ n: 16 }]);
    await connection.query(
      `CREATE FUNCTION again() RETURNS int LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION USING ERRCODE = ''40P01'', MESSAGE = ''busy''; END'`,
    );
    await expect(connection.query('SELECT again()')).rejects.toThrow('busy');
    await expect(connection.transaction(() => connection.query('SELECT again()'))).rejects.toThrow('busy');
  });

  test('tables of a later version are not touched', async () => {
    const { connection } = await archive();
    await checkSchema(connection, true);
    await connection.query(`UPDATE agent_logbook.meta SET value = '2' WHERE name = 'version'`);
    await expect(checkSchema(connection, true)).rejects.toThrow('Update Agent Logbook');
    await connection.close();
  });

  test('several machines may make the tables at the same time', async () => {
    const owner = await connect();
    for (let round = 0; round < 5; round++) {
      await owner.query(`CREATE DATABASE several${round}`);
      const machines = await Promise.all(Array.from({ length: 4 }, () => connect(`several${round}`)));
      await Promise.all(machines.map((each) => checkSchema(each, true)));
      for (const each of machines) await each.close();
    }
    await owner.close();
  });

  test('an abort ends what is under way with its reason', async () => {
    const controller = new AbortController();
    const connection = await ArchiveConnection.open(parseArchiveAddress(server().address()), {
      password: () => Promise.resolve(PASSWORD),
      signal: controller.signal,
    });
    const waiting = connection.query('SELECT pg_sleep(60)');
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await connection.close();
  });
});

test('a server without TLS is not spoken to as if it had any', async () => {
  const plain = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.write('N'));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void plain.close());
  await once(plain, 'listening');
  const { port } = plain.address() as AddressInfo;
  expect(await refusalOf(`postgres://a@127.0.0.1:${port}/team?sslmode=require`)).toContain('offers no TLS');
});
