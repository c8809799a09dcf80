import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { nodeBundle } from './nodeBundle.mjs';

const root = join(import.meta.dirname, '..');
const source = join(root, 'test/vscode/suite');

/**
 * Bundles the suite that runs inside the extension host: every test file that there is, and their runner.
 * @returns {Promise<string>} the runner, as VS Code wants it
 */
export async function buildSuite() {
  const outdir = join(root, 'out/suite');
  rmSync(outdir, { recursive: true, force: true });
  const tests = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.test.ts'),
  );
  await build({
    ...nodeBundle,
    entryPoints: ['runner.ts', ...tests].map((file) => join(source, file)),
    outbase: source,
    outdir,
    external: ['vscode', 'mocha'],
  });
  return join(outdir, 'runner.js');
}

/**
 * The extensions that only the tests need: every folder of `test/vscode/extensions`.
 * @returns {string[]}
 */
export function testExtensions() {
  const folder = join(root, 'test/vscode/extensions');
  return readdirSync(folder).map((name) => join(folder, name));
}
