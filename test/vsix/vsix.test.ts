import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { bundleSize } from '../../bench/extension/bundles.js';
import { buildSuite } from '../../scripts/buildSuite.mjs';
import { runSuite } from '../vscode/host/suite.mjs';
import { zipEntries } from './zipEntries.js';

const root = join(import.meta.dirname, '../..');
const vsix = join(root, 'out/agent-logbook.vsix');

const papers = [
  '[Content_Types].xml',
  'extension.vsixmanifest',
  'extension/package.json',
  'extension/package.nls.json',
  'extension/l10n/bundle.l10n.json',
  'extension/readme.md',
  'extension/changelog.md',
  'extension/LICENSE.txt',
];

/** What a build leaves for the extension: all but the types of the library, and source maps. */
function builtFiles(): string[] {
  return readdirSync(join(root, 'dist'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.(d\.ts|map)$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'));
}

test('the package holds what runs and nothing else', async () => {
  const entries = await zipEntries(vsix);
  const others = entries.filter(
    (entry) => !/^extension\/media\/(walkthrough\/)?[\w-]+\.(svg|png|md)$/.test(entry),
  );
  const built = builtFiles().map((file) => `extension/${file}`);
  expect(built).toContain('extension/dist/extension.js');
  expect(others.sort()).toEqual([...papers, ...built].sort());
});

test('what npm packs runs every example where it is installed, outside of the checkout', async () => {
  const project = await mkdtemp(join(tmpdir(), 'logbook-installed-'));
  onTestFinished(() => rm(project, { recursive: true }));
  const npm = (args: readonly string[], cwd: string) =>
    execFileSync(process.platform === 'win32' ? 'npm.cmd' : 'npm', args, {
      cwd,
      encoding: 'utf8',
      shell: process.platform === 'win32',
    });
  const told = npm(['pack', '--json', '--ignore-scripts', '--pack-destination', project], root);
  const [{ filename, files }] = JSON.parse(told) as [{ filename: string; files: { path: string }[] }];
  const paths = files.map(({ path }) => path);
  expect(paths.filter((path) => /\.map$|^dist\/(?:extension|webview)|^(?:src|test)\//.test(path))).toEqual(
    [],
  );
  await writeFile(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  npm(
    ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', `./${filename}`],
    project,
  );
  const examples = readdirSync(join(root, 'examples')).filter((name) => name.endsWith('.mjs'));
  expect(examples.length).toBeGreaterThanOrEqual(5);
  await cp(join(root, 'examples'), join(project, 'examples'), { recursive: true });
  for (const example of examples)
    expect(
      execFileSync(process.execPath, [join('examples', example)], { cwd: project, encoding: 'utf8' }),
    ).not.toBe('');
  const shown = execFileSync(process.execPath, ['node_modules/agent-logbook/dist/cli.cjs', '--version'], {
    cwd: project,
    encoding: 'utf8',
  });
  expect(shown).toMatch(/\d+\.\d+\.\d+/);
});

test('what is loaded when VS Code starts is small and in few files, and what a panel loads is small too', () => {
  const start = bundleSize('extension.js');
  expect(start?.atOnce).toBeLessThan(200_000);
  // The entry, what it shares with other bundles, and the bundler's own part.
  expect(start?.files).toBeLessThanOrEqual(3);
  expect(bundleSize('webview/main.js')?.atOnce).toBeLessThan(350_000);
});

test('the package starts where it is installed', async () => {
  const result = await runSuite({
    suite: await buildSuite(),
    extensions: [vsix],
    workspace: join(root, 'samples/team'),
    screenshot: join(root, 'out/vsix-failed.png'),
    env: { AGENT_LOGBOOK_TEST_FILES: 'smoke' },
  });
  expect(result).toMatchObject({ problem: undefined, failed: 0 });
  expect(result.passed).toBeGreaterThan(0);
});
