/**
 * `npm run test:changed [-- <commit>]`: about a minute of unit tests for what has changed since a commit (HEAD, where
 * none is given), the most likely to break first, and the names of those that were left out.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { availableParallelism } from 'node:os';
import { inTime, testsOf } from './changedTests.mjs';
import { importGraph } from './importGraph.mjs';
import { lastDurations } from './steps.mjs';

const root = join(import.meta.dirname, '..');
const SECONDS = 50;

/** @param {...string} args */
function git(...args) {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean);
}

const [base = 'HEAD'] = process.argv.slice(2);
const changed = [
  ...git('diff', '--name-only', '-z', base, '--'),
  ...git('ls-files', '--others', '--exclude-standard', '-z'),
];
const graph = importGraph('src', 'webview', 'test');
const tests = testsOf(changed, graph);
const workers = Math.max(2, availableParallelism() - 1);
const { run, leftOut } = inTime(tests, await lastDurations(), SECONDS * workers);

console.log(`${changed.length} files have changed since ${base}; ${tests.length} test files are near them.`);
if (run.length > 0) {
  const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...run], {
    cwd: root,
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
}
if (leftOut.length > 0) console.log(`Left out, as a minute was not enough:\n  ${leftOut.join('\n  ')}`);
console.log('Not run: all other unit tests, lint, types, and what starts a VS Code. `npm test` runs them.');
