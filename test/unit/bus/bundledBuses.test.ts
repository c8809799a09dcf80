import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Metafile } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { nodeBundle } from '../../../scripts/nodeBundle.mjs';
import { silentLog } from '../../../src/ports/log.js';
import type * as Library from '../../../src/library.js';
import { DiscordServer } from '../../support/discordServer.js';
import { TelegramServer } from '../../support/telegramServer.js';

let folder: string;
let metafile: Metafile;
let library: typeof Library;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bundle-'));
  const entry = { entryPoints: ['src/library.ts'], outdir: folder, outExtension: { '.js': '.mjs' } };
  ({ metafile } = await build({ ...nodeBundle, ...entry, metafile: true, sourcemap: false }));
  library = (await import(pathToFileURL(join(folder, 'library.mjs')).href)) as typeof Library;
}, 60_000);

afterAll(() => rm(folder, { recursive: true }));

/** Packages in the files that are loaded with the library, before anything is asked of it. */
function packagesAtLoad(): Set<string> {
  const outputs = new Map(Object.entries(metafile.outputs));
  const loaded = [...outputs.keys()].filter((name) => name.endsWith('/library.mjs'));
  for (const name of loaded) {
    const next = outputs.get(name)?.imports.filter(({ kind }) => kind === 'import-statement') ?? [];
    loaded.push(...next.map(({ path }) => path).filter((path) => !loaded.includes(path)));
  }
  const inputs = loaded.flatMap((name) => Object.keys(outputs.get(name)?.inputs ?? {}));
  return new Set(inputs.map((input) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1] ?? 'ours'));
}

test('the packages of the platforms are loaded when a platform is started, not before', () => {
  const packages = packagesAtLoad();
  expect(packages).toContain('ours');
  expect(packages).not.toContain('grammy');
  expect(packages).not.toContain('discord.js');
});

test('Telegram works in a bundle', async () => {
  const server = new TelegramServer();
  await server.up();
  const bus = new library.TelegramBus({ token: server.token, apiRoot: server.root, log: silentLog });
  await bus.start(() => Promise.resolve(), new AbortController().signal);
  expect(bus.state.kind).toBe('on');
  await bus.stop();
  await server.down();
});

test('Discord works in a bundle', async () => {
  const server = new DiscordServer();
  await server.up();
  const bus = new library.DiscordBus({ token: server.token, apiRoot: server.root, log: silentLog });
  await bus.start(() => Promise.resolve(), new AbortController().signal);
  expect(bus.state.kind).toBe('on');
  await bus.stop();
  await server.down();
});
