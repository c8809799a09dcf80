import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { makeTokenRanks } from '../../scripts/tokenRanks.mjs';
import { PostgresServer } from './postgresServer.js';
import { buildBundles, buildCommandLine, buildWorker } from './sharedBuilds.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The port at which tests ask for what they share. */
    readonly sharedParts: number;
  }
}

/**
 * Before all tests: makes the ranks that the build would make, for tests that run from the sources. What only some files
 * need, and is dear (a PostgreSQL, bundles), is made when the first of them asks, and once for all of them: they run in
 * processes of their own, so they ask over a port of this computer (`sharedPart`).
 */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  // The parts of vitest.config.ts have this from the whole, and it begins first.
  if (!project.isRootProject()) return undefined;
  const { seed } = project.vitest.config.sequence;
  console.log(`Seed ${seed}: SEED=${seed} draws the same again.`);
  await makeTokenRanks();
  const folder = await mkdtemp(join(tmpdir(), 'shared-parts-'));
  let postgres: PostgresServer | undefined;
  const makers: Readonly<Record<string, (detail: string) => Promise<unknown>>> = {
    postgres: async () => (postgres = await PostgresServer.start()).port,
    worker: buildWorker,
    commandLine: () => buildCommandLine(join(folder, 'commandLine')),
    bundles: () => buildBundles(join(folder, 'bundles')),
  };
  const made = new Map<string, Promise<unknown>>();
  const server = createServer(({ url = '' }, response) => {
    const part = made.get(url) ?? makePart(makers, url);
    made.set(url, part);
    part.then(
      (value) => response.end(JSON.stringify(value)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  project.provide('sharedParts', (server.address() as AddressInfo).port);
  return async () => {
    server.close();
    await Promise.allSettled(made.values());
    await postgres?.remove();
    await rm(folder, { recursive: true, force: true });
  };
}

async function makePart(
  makers: Readonly<Record<string, (detail: string) => Promise<unknown>>>,
  url: string,
): Promise<unknown> {
  const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
  const make = makers[pathname.slice(1)];
  if (!make) throw new Error(`There is no shared part '${pathname}'.`);
  return make(searchParams.get('detail') ?? '');
}
