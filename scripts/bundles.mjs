import { join } from 'node:path';
import { shippedSqlite, SQLITE } from './sqliteFiles.mjs';

const root = join(import.meta.dirname, '..');

/** @type {import('rolldown').Plugin} */
const shippedBeside = {
  name: 'sqlite',
  resolveId: (id) => (id === SQLITE ? { id: shippedSqlite(''), external: 'relative' } : null),
};

/**
 * How everything that is shipped is bundled.
 * @satisfies {import('rolldown').BuildOptions}
 */
export const common = {
  cwd: root,
  platform: /** @type {const} */ ('node'),
  // Optional parts of packages, which ask whether they are there.
  external: ['zlib-sync', 'bufferutil', 'utf-8-validate'],
  transform: { target: 'node20' },
  // Its other build brings undici, 0.4 MB, to make requests with; ours are made by the platform's `fetch`.
  resolve: { alias: { '@discordjs/rest': join(root, 'node_modules/@discordjs/rest/dist/web.mjs') } },
  logLevel: /** @type {const} */ ('warn'),
  /**
   * An import that leads nowhere is only a warning for the bundler, which leaves it to the moment at which it is run.
   * @type {NonNullable<import('rolldown').InputOptions['onLog']>}
   */
  onLog: (level, log, handle) => handle(log.code === 'UNRESOLVED_IMPORT' ? 'error' : level, log),
};

/**
 * How the files of a bundle are written.
 * @param {boolean} production
 * @returns {import('rolldown').OutputOptions}
 */
export const written = (production) => ({
  format: 'esm',
  // Names of functions and classes survive, so that a stack trace in a bug report can be read.
  minify: production && {
    compress: { keepNames: { function: true, class: true } },
    mangle: { keepNames: true },
    codegen: { removeWhitespace: true },
  },
  sourcemap: !production,
});

/**
 * The programs, each with the file that it starts with: only that of the extension may load `vscode`. The two doors of the
 * library are those that it gives to other extensions; what npm installs is made by `libraryOptions`.
 */
export const programs = { extension: 'src/extension.ts', library: 'src/library.ts', parts: 'src/parts.ts' };

/**
 * The features that are loaded late, each with the file that is asked for: `src/app/features/features.ts`, the two
 * connectors, the export of tables, `src/app/sources` and `src/library.ts` ask for them. A module that several of them need
 * lives in the first of those, so each loads nothing but itself and what stands above it.
 */
export const features = {
  redaction: 'src/app/features/redaction.ts',
  transcripts: 'src/app/features/transcripts.ts',
  agents: 'src/app/features/agents.ts',
  markdown: 'src/app/features/markdown.ts',
  run: 'src/app/features/run.ts',
  exporting: 'src/app/features/exporting.ts',
  parquet: 'src/export/tables/parquetPackage.ts',
  pricing: 'src/app/features/pricing.ts',
  approvals: 'src/app/features/approvals.ts',
  comparing: 'src/app/features/comparing.ts',
  capturing: 'src/app/features/capturing.ts',
  archiving: 'src/app/features/archiving.ts',
  discovering: 'src/app/features/discovering.ts',
  telemetry: 'src/app/features/telemetry.ts',
  otlp: 'src/export/collector/otlpPackage.ts',
  chats: 'src/app/features/chats.ts',
  telegram: 'src/agents/chats/telegram/grammyPackage.ts',
  discord: 'src/agents/chats/discord/discordPackages.ts',
  storeQuestions: 'src/search/sessions/openStoreSource.ts',
  sourceFiles: 'src/app/sources/fileSessions.ts',
  ownPatterns: 'src/node/patterns/linearSpans.ts',
  questions: 'src/app/transcripts/queryTranscripts.ts',
  tables: 'src/export/tables/exportTables.ts',
  blaming: 'src/app/sources/blamedFiles.ts',
};

/** The features of the extension alone, which may use the editor: `src/extension.ts` asks for them. */
export const editorFeatures = {
  exports: 'src/surfaces/vscode/reading/editorExports.ts',
  commands: 'src/surfaces/vscode/commands/lateCommands.ts',
  search: 'src/surfaces/vscode/search/searchPages.ts',
  sessions: 'src/surfaces/vscode/sessions/sessionsTree.ts',
  archive: 'src/surfaces/vscode/archive/archiveTree.ts',
  models: 'src/surfaces/vscode/models/editorModels.ts',
  asking: 'src/surfaces/vscode/asking/asking.ts',
  expectations: 'src/surfaces/vscode/expectations/expectationTests.ts',
};

/** What the extension loads when it starts and others need too. */
const BASE = 'base';

/**
 * Small modules that come with it, because a feature would else load a large one for them: an export would load a run,
 * stores what finds secrets, agents the stores.
 */
const small = [
  'src/node/patterns/timeGuard.ts',
  'src/node/fileWatch.ts',
  'src/node/folderWatches.ts',
  'src/query/numbers/jsonText.ts',
  'src/core/escapeRegExp.ts',
  'src/core/nearest.ts',
  'src/core/picture.ts',
  'src/core/wellFormed.ts',
];

/** All bundles, each after those that it may load. */
const names = [
  BASE,
  ...Object.keys(features),
  'library',
  'parts',
  'extension',
  ...Object.keys(editorFeatures),
];

/**
 * How all programs are bundled together: a file for each row of the tables, `base.js`, and the few lines that the bundler
 * itself needs; each module stands in exactly one of them, so that there is one of each class and each state in a
 * process.
 * @param {{ outdir: string, production?: boolean, watched?: boolean }} options
 * @returns {import('rolldown').BuildOptions & { output: import('rolldown').OutputOptions }}
 */
export function bundleOptions({ outdir, production = false }) {
  /** @type {ReadonlyMap<string, string>} */
  let bundles = new Map();
  return {
    ...common,
    input: programs,
    external: ['vscode', ...common.external],
    preserveEntrySignatures: 'allow-extension',
    plugins: [
      shippedBeside,
      {
        name: 'bundles by feature',
        buildEnd() {
          bundles = bundlesOf((id) => this.getModuleInfo(id)?.importedIds ?? []);
        },
      },
    ],
    output: {
      dir: outdir,
      ...written(production),
      entryFileNames: '[name].js',
      chunkFileNames: '[name].js',
      codeSplitting: {
        groups: names.map((name, index) => ({
          name,
          priority: names.length - index,
          test: (id) => bundles.get(id) === name,
        })),
      },
    },
  };
}

/**
 * How the packed library is bundled: `library.mjs`, `parts.mjs` and the files that they share or load later. It has no
 * table, because a program asks for what it needs by its imports: what `MessageQuery` needs is in files of its own, so
 * that a bundler takes nothing else along.
 * @param {{ outdir: string, production?: boolean }} options
 * @returns {import('rolldown').BuildOptions & { output: import('rolldown').OutputOptions }}
 */
export function libraryOptions({ outdir, production = false }) {
  return {
    ...common,
    input: { library: programs.library, parts: programs.parts, messageQuery: 'src/export/messageQuery.ts' },
    plugins: [shippedBeside],
    output: {
      dir: outdir,
      ...written(production),
      entryFileNames: '[name].mjs',
      chunkFileNames: '[name]-[hash].mjs',
    },
  };
}

/**
 * The bundle of each module.
 * @param {(id: string) => readonly string[]} importsOf what a module imports statically
 * @returns {ReadonlyMap<string, string>}
 */
function bundlesOf(importsOf) {
  /** @param {string} file */
  const closure = (file) => {
    const found = new Set([join(root, file)]);
    for (const id of found) for (const next of importsOf(id)) found.add(next);
    return found;
  };
  const start = closure(programs.extension);
  for (const file of small) for (const id of closure(file)) start.add(id);
  /** @type {Map<string, string>} */
  const bundles = new Map();
  for (const [name, file] of Object.entries(features)) {
    for (const id of closure(file)) {
      if (!bundles.has(id)) bundles.set(id, start.has(id) ? BASE : name);
    }
  }
  for (const door of /** @type {const} */ (['library', 'parts']))
    for (const id of closure(programs[door]))
      if (!bundles.has(id)) bundles.set(id, start.has(id) ? BASE : door);
  for (const id of start) if (!bundles.has(id)) bundles.set(id, 'extension');
  for (const [name, file] of Object.entries(editorFeatures))
    for (const id of closure(file)) if (!bundles.has(id)) bundles.set(id, name);
  return bundles;
}
