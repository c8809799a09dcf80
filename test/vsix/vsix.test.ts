import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
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

/** What a build leaves for the extension: all but the library for Node programs, and source maps. */
function builtFiles(): string[] {
  return readdirSync(join(root, 'dist'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.(d\.ts|mjs|map)$|^package\.json$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'));
}

test('the package holds what runs and nothing else', async () => {
  const entries = await zipEntries(vsix);
  const others = entries.filter(
    (entry) => !/^extension\/media\/(walkthrough\/)?[\w.-]+\.(svg|png|md|schema\.json)$/.test(entry),
  );
  const built = builtFiles().map((file) => `extension/${file}`);
  expect(built).toContain('extension/dist/extension.js');
  expect(others.sort()).toEqual([...papers, ...built].sort());
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
