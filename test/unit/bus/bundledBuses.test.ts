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

/** The sources in the files that are loaded with an entry, before anything is asked of it. */
function sourcesAtLoad(metafile: Metafile, entry: string): readonly string[] {
  const outputs = new Map(Object.entries(metafile.outputs));
  const loaded = [...outputs.keys()].filter((name) => outputs.get(name)?.entryPoint === entry);
  for (const name of loaded) {
    const next = outputs.get(name)?.imports.filter(({ kind }) => kind === 'import-statement') ?? [];
    loaded.push(...next.map(({ path }) => path).filter((path) => !loaded.includes(path)));
  }
  return loaded.flatMap((name) => Object.keys(outputs.get(name)?.inputs ?? {}));
}

const packagesOf = (sources: readonly string[]) =>
  new Set(sources.map((source) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? 'ours'));

test('the packages of the platforms are loaded when a platform is started, not before', () => {
  const packages = packagesOf(sourcesAtLoad(metafile, 'src/library.ts'));
  expect(packages).toContain('ours');
  expect(packages).not.toContain('grammy');
  expect(packages).not.toContain('discord.js');
});

test('with the extension nothing is loaded that a chat needs, neither a platform nor the executor', async () => {
  const entry = { entryPoints: ['src/extension.ts'], outdir: folder, write: false, external: ['vscode'] };
  const { metafile } = await build({ ...nodeBundle, ...entry, metafile: true, sourcemap: false });
  const sources = sourcesAtLoad(metafile, 'src/extension.ts');
  expect(sources).toContain('src/app/buses/messageBuses.ts');
  expect(sources.filter((source) => source.startsWith('src/bus/'))).toEqual([]);
  expect(packagesOf(sources)).not.toContain('grammy');
  expect(packagesOf(sources)).not.toContain('discord.js');
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
