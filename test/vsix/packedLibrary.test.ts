import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { examplePrints } from '../support/examplePrints.js';

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);
const npm = (args: readonly string[], cwd: string) =>
  run(process.platform === 'win32' ? 'npm.cmd' : 'npm', [...args], {
    cwd,
    shell: process.platform === 'win32',
  });

/** An empty project outside of the checkout in which what `npm pack` makes was installed, without the network. */
let project = '';

const page = await readFile(join(root, 'docs/library.md'), 'utf8');
const blocks = [...page.matchAll(/^```(?:js|ts)\n([^]*?)^```$/gm)].map(([, code = '']) => code);

/** Runs a file of the project, and gives what it prints. */
const printed = async (file: string) =>
  (await run(process.execPath, [file], { cwd: project })).stdout.trimEnd();

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'logbook-packed-'));
  const tarballs = join(project, 'tarballs');
  await mkdir(tarballs);
  // What a registry would give for the one dependency.
  const types = ['@types/node', 'undici-types'].map((name) => join(root, 'node_modules', name));
  await npm(
    ['pack', '--ignore-scripts', '--silent', '--pack-destination', tarballs, root, ...types],
    project,
  );
  await writeFile(join(project, 'package.json'), '{ "private": true, "type": "module" }');
  const files = (await readdir(tarballs)).map((name) => join(tarballs, name));
  await npm(['install', '--offline', '--no-audit', '--no-fund', '--loglevel=error', ...files], project);
  await cp(join(root, 'examples'), join(project, 'examples'), { recursive: true });
  const said = [
    { role: 'user', content: 'Why are the cookies so small?' },
    { role: 'assistant', content: 'The factor is upside down.' },
  ];
  await writeFile(
    join(project, 'session.jsonl'),
    said.map((message) => `${JSON.stringify(message)}\n`).join(''),
  );
  // What a block asks of.
  await writeFile(join(project, 'README.md'), '# Cookies\n');
  for (const [at, code] of blocks.entries()) await writeFile(join(project, `block${at}.ts`), code);
  await writeFile(
    join(project, 'parts.ts'),
    "import { MessageAccumulator, type RuntimeConfig } from 'agent-logbook/parts';\nexport const config: Partial<RuntimeConfig> = {};\nconsole.log(new MessageAccumulator().size);\n",
  );
}, 600_000);

afterAll(() => rm(project, { recursive: true, force: true }));

test('nothing is installed with it but the types of Node', async () => {
  const installed = await readdir(join(project, 'node_modules'), { recursive: true });
  const packages = installed
    .filter((path) => /^(?:@[^/\\]+[/\\])?[^./\\@][^/\\]*[/\\]package\.json$/.test(path))
    .map((path) => path.replaceAll('\\', '/').replace('/package.json', ''));
  expect(packages.sort()).toEqual(['@types/node', 'agent-logbook', 'undici-types']);
});

test.each(Object.entries(examplePrints))('the example %s prints what it says', async (name, expected) => {
  expect((await printed(join('examples', name))).slice(0, expected.length)).toBe(expected);
});

test('examples and every code block of the page are strictly typed, and each block runs', async () => {
  const compilerOptions = {
    target: 'es2023',
    module: 'nodenext',
    types: ['node'],
    outDir: 'out',
    rootDir: '.',
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    allowJs: true,
    checkJs: true,
  };
  const include = ['*.ts', 'examples/*.mjs'];
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include }));
  const tsc = join(root, 'node_modules/@typescript/native/bin/tsc');
  const problems = await run(process.execPath, [tsc, '-p', project], { cwd: project }).then(
    ({ stdout }) => stdout,
    (error: unknown) => (error as { readonly stdout: string }).stdout,
  );
  expect(problems).toBe('');
  expect(await printed('out/parts.js')).toBe('0');
  // The block that runs a team makes the store that others read.
  const order = [...blocks.keys()].sort(
    (a, b) => Number(blocks[b]!.includes('createTeam')) - Number(blocks[a]!.includes('createTeam')),
  );
  const prints = new Map<string, string>();
  for (const at of order) prints.set(blocks[at]!, await printed(`out/block${at}.js`));
  const printOf = (pattern: RegExp) => [...prints].find(([code]) => pattern.test(code))?.[1];
  const promised = [...blocks[0]!.matchAll(/^console\.log\(.*\); \/\/ (.*)$/gm)].map(([, value]) => value);
  expect(printOf(/new MessageQuery\(\[/)?.split('\n')).toEqual(promised);
  expect(printOf(/createTeam/)).toContain('The factor is upside down.');
  expect(printOf(/new SessionSearch/)).toMatch(/^done/m);
  expect(printOf(/exportTables/)).toMatch(/^3 /);
});

test('tokens are counted with the ranks that are installed', async () => {
  const code = `
    import { encodingForModel, loadTokenCounter } from 'agent-logbook/library';
    const { encoding } = encodingForModel('gpt-4o');
    console.log((await loadTokenCounter(encoding)).count('cookies are small'));`;
  await writeFile(join(project, 'tokens.mjs'), code);
  expect(await printed('tokens.mjs')).toBe('3');
});

test('the command line is there too', async () => {
  const shown = await run(
    process.execPath,
    [join('node_modules/agent-logbook/dist/cli.cjs'), 'show', 'session.jsonl'],
    { cwd: project },
  );
  expect(shown.stdout).toContain('The factor is upside down.');
});

test('a program that uses MessageQuery alone is bundled with nothing else', async () => {
  const bundle = await build({
    stdin: {
      contents:
        "import { MessageQuery } from 'agent-logbook/library'; console.log(new MessageQuery([]).length);",
      resolveDir: project,
    },
    ...({ bundle: true, minify: true, platform: 'node', format: 'esm' } as const),
    outfile: join(project, 'bundle.mjs'),
  });
  expect(bundle.warnings).toEqual([]);
  expect((await stat(join(project, 'bundle.mjs'))).size).toBeLessThan(340_000);
  expect(await printed('bundle.mjs')).toBe('0');
});

test('a door loads no more than it needs', async () => {
  const library = join(project, 'node_modules/agent-logbook/dist');
  const loaded = new Set(['library.mjs']);
  for (const file of loaded)
    for (const [, next = ''] of (await readFile(join(library, file), 'utf8')).matchAll(
      /(?:from|import)\s*["'`]\.\/([\w.-]+\.mjs)["'`]/g,
    ))
      loaded.add(next);
  const sizes = await Promise.all([...loaded].map(async (file) => (await stat(join(library, file))).size));
  expect(loaded.size).toBeGreaterThan(3);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(920_000);
});
