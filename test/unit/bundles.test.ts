import { statSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { build as buildTogether } from 'rolldown';
import { beforeAll, expect, test } from 'vitest';
import { editorFeatures, features, programs } from '../../scripts/bundles.mjs';
import { pageBundle } from '../../scripts/pageBundle.mjs';
import { workerOptions } from '../../scripts/workerBundles.mjs';
import { builtBundles, packagesOf, type BuiltBundles } from '../support/builtBundles.js';

let built: BuiltBundles;

beforeAll(async () => {
  built = await builtBundles();
});

/** The file of a row of the tables. */
const fileOf = (name: string) => `${name}.js`;

const sizeOf = (files: readonly string[]) =>
  files.reduce((sum, file) => sum + statSync(join(built.folder, file)).size, 0);

test('there is one file for each row of the tables, what is shared, and what the bundler needs', () => {
  const tables = { ...features, ...editorFeatures, ...programs };
  const rows = [...Object.keys(tables), 'base', 'rolldown-runtime'];
  expect([...built.files.keys()].sort()).toEqual(rows.map(fileOf).sort());
});

test('no module stands in two bundles, so there is one of each class and each state', () => {
  const modules = [...built.files.values()].flatMap((bundle) => bundle.modules);
  expect(modules).toContain('src/core/message.ts');
  expect(modules.filter((module, index) => modules.indexOf(module) !== index)).toEqual([]);
});

test('the start is small and in few files', () => {
  expect(built.loadedWith('extension.js').sort()).toEqual(['base.js', 'extension.js']);
  expect(sizeOf(built.loadedWith('extension.js'))).toBeLessThan(187_500);
});

test('what a panel loads at once is small', async () => {
  const options = {
    ...pageBundle,
    outdir: 'dist/webview',
    minify: true,
    metafile: true,
    write: false,
  } as const;
  const { outputs } = (await build(options)).metafile;
  const loaded = new Set(['dist/webview/main.js']);
  for (const file of loaded)
    for (const { kind, path } of outputs[file]?.imports ?? [])
      if (kind === 'import-statement') loaded.add(path);
  const sizes = [...loaded].map((file) => outputs[file]?.bytes ?? Number.NaN);
  expect(sizes.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(327_800);
});

test('the first run loads one file besides the store and the agents, which are shown before', () => {
  const shown = ['extension.js', 'transcripts.js', 'agents.js'].flatMap((file) => built.loadedWith(file));
  expect(built.loadedWith('run.js').filter((file) => !shown.includes(file))).toEqual(['run.js']);
});

test('what is small to load brings nothing large along', () => {
  const others = (file: string) =>
    built
      .loadedWith(file)
      .filter((name) => ![file, 'base.js', 'rolldown-runtime.js'].includes(name))
      .sort();
  expect(others('redaction.js')).toEqual([]);
  expect(others('transcripts.js')).toEqual([]);
  expect(others('agents.js')).toEqual([]);
  expect(others('markdown.js')).toEqual([]);
  expect(others('exporting.js')).toEqual(['markdown.js', 'redaction.js', 'transcripts.js']);
});

test('only the bundles of the extension ask for VS Code, and nothing else loads them', () => {
  const asking = [...built.files]
    .filter(([, { imports }]) => imports.includes('vscode'))
    .map(([name]) => name);
  const ofEditor = Object.keys(editorFeatures).map(fileOf);
  expect(asking.sort()).toEqual([...ofEditor, 'extension.js'].sort());
  const loading = [...built.files].filter(([, bundle]) => bundle.imports.includes('extension.js'));
  expect(loading.map(([name]) => name).filter((name) => !ofEditor.includes(name))).toEqual([]);
});

test('the library carries no package of a chat platform and lives in the same files as the extension', () => {
  const modules = built.modulesLoadedWith('parts.js');
  expect(modules).toContain('src/agents/chats/discord/discordConnector.ts');
  expect(packagesOf(modules)).not.toContain('grammy');
  expect(packagesOf(modules).filter((name) => name.includes('discord'))).toEqual([]);
  expect(built.files.get('extension.js')?.later).toEqual(expect.arrayContaining(['library.js', 'parts.js']));
});

test('every feature is in use, and is loaded late only', () => {
  const later = new Set([...built.files.values()].flatMap((bundle) => bundle.later));
  const rows = [...Object.keys({ ...features, ...editorFeatures }), 'library', 'parts'].map(fileOf);
  expect([...later].sort()).toEqual(rows.sort());
  expect(built.loadedWith('extension.js').filter((name) => later.has(name))).toEqual([]);
});

test('threads are at most 25 files, each module in one of them; what is loaded late stays out, and no file loads one that loads it', async () => {
  const options = workerOptions({ outdir: 'dist/workers', production: true });
  const { output } = await buildTogether({ ...options, write: false });
  const files = new Map(output.flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file]] : [])));
  expect(files.size).toBeLessThanOrEqual(25);
  const modules = [...files.values()].flatMap(({ moduleIds }) => moduleIds);
  expect(modules.filter((module, index) => modules.indexOf(module) !== index)).toEqual([]);
  const loadedWith = (name: string) => {
    const loaded = new Set<string>();
    const waiting = [name];
    for (const next of waiting)
      for (const other of files.get(next)?.imports ?? []) {
        if (files.has(other) && !loaded.has(other)) waiting.push(other);
        loaded.add(other);
      }
    return loaded;
  };
  const names = [...files.keys()];
  expect(names.filter((name) => loadedWith(name).has(name))).toEqual([]);
  const small = ['base.js', 'lines.js', 'rolldown-runtime.js', 'stored.js', 'asking.js', 'linearSpans.js'];
  const isSmall = (name: string) => small.includes(name);
  const threads = ['reader.js', 'scan.js', 'tokens.js', 'patterns.js', 'discovery.js'];
  const large = threads.flatMap((name) => [...loadedWith(name)].filter((other) => files.has(other)));
  expect(large.filter((name) => !isSmall(name))).toEqual([]);
  const late = ['pgPackage.js', 'parquetPackage.js', 'exportsOnThread.js'];
  expect(names.flatMap((name) => late.filter((other) => loadedWith(name).has(other)))).toEqual([]);
});
