import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildSuite } from '../../scripts/buildSuite.mjs';
import { runSuite } from '../vscode/host/suite.mjs';
import { zipEntries } from './zipEntries.js';

const root = join(import.meta.dirname, '../..');
const vsix = join(root, 'out/agent-logbook.vsix');

const needed = [
  'extension/package.json',
  'extension/readme.md',
  'extension/changelog.md',
  'extension/LICENSE.txt',
  'extension/dist/extension.js',
  'extension/dist/webview/main.js',
  'extension/dist/webview/main.css',
];
const allowed = [
  /^(\[Content_Types\]\.xml|extension\.vsixmanifest)$/,
  /^extension\/dist\/([\w-]+|workers\/[\w-]+|webview\/[\w-]+)\.js$/,
  /^extension\/dist\/webview\/[\w-]+\.(css|ttf)$/,
  /^extension\/media\/[\w-]+\.(svg|png|md)$/,
];

test('the package holds what runs and nothing else', async () => {
  const entries = await zipEntries(vsix);
  expect(entries).toEqual(expect.arrayContaining(needed));
  const others = entries.filter((entry) => !needed.includes(entry));
  expect(others.filter((entry) => !allowed.some((pattern) => pattern.test(entry)))).toEqual([]);
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
