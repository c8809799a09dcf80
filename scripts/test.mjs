/**
 * `npm test`: everything there is to check, one step after the other, until the first that fails. The last line is
 * `N passed, N failed`, summed over the test runners.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readCounts } from './counts.mjs';

/** @import { Counts } from './counts.mjs' */

const root = join(import.meta.dirname, '..');
const results = join(root, 'out/results');
const node = process.execPath;

/**
 * The same commands as the npm scripts, without building anew for each. What stands in `beside` runs at the same time as
 * the commands: most of it waits for one processor.
 * @typedef {{ name: string, commands: string[][], beside?: string[][] }} Step
 */

/** @type {Step[]} */
const steps = [
  { name: 'set-up', commands: [[node, 'scripts/setUp.mjs']] },
  {
    name: 'format, lint, types',
    commands: [npmRun('lint')],
    beside: [npmRun('format:check'), npmRun('types')],
  },
  { name: 'build', commands: [[node, 'esbuild.mjs']] },
  { name: 'unit tests', commands: [vitest()] },
  { name: 'faults, the short campaign', commands: [[node, 'test/faults/run.mjs', 'short']] },
  { name: 'suite in VS Code', commands: [[node, 'scripts/testVscode.mjs']] },
  { name: 'user interface in VS Code', commands: [vitest('--config', 'vitest.ui.config.ts', 'test/ui/')] },
  { name: 'npm start', commands: [vitest('--config', 'vitest.ui.config.ts', 'test/start/')] },
  {
    name: 'packaged extension in VS Code',
    commands: [npmRun('package'), vitest('--config', 'vitest.ui.config.ts', 'test/vsix/')],
  },
  {
    name: 'oldest VS Code',
    commands: [[node, 'scripts/testVscode.mjs', '--oldest', '--files', 'smoke']],
  },
];

/** @param {string} script */
function npmRun(script) {
  return ['npm', 'run', '--silent', script];
}

/** @param {...string} args */
function vitest(...args) {
  return [node, 'node_modules/vitest/vitest.mjs', 'run', '--reporter=default', '--reporter=json', ...args];
}

/**
 * @param {string[]} command
 * @param {string} counts where a test runner tells its counts
 * @returns {Promise<boolean>} whether it succeeded
 */
async function run([command = '', ...args], counts) {
  const outputFile = args.includes('--reporter=json') ? [`--outputFile.json=${counts}`] : [];
  const child = spawn(command, [...args, ...outputFile], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, AGENT_LOGBOOK_COUNTS: counts },
    shell: process.platform === 'win32' && command === 'npm',
  });
  const [code] = await once(child, 'exit');
  return code === 0;
}

/**
 * Runs one command after the other, until the first that fails.
 * @param {string[][]} commands
 * @param {string} counts where a test runner tells its counts
 * @returns {Promise<boolean>} whether all succeeded
 */
async function runAll(commands, counts) {
  for (const command of commands) if (!(await run(command, counts))) return false;
  return true;
}

/**
 * Runs a step; one that fails without a failed test, such as a build, counts as one failure.
 * @param {Step} step
 * @param {number} index
 * @returns {Promise<Counts>}
 */
async function runStep({ name, commands, beside = [] }, index) {
  const start = Date.now();
  const counts = join(results, `${index + 1}.json`);
  console.log(`\n== ${index + 1}/${steps.length} ${name}`);
  const ended = await Promise.all([runAll(commands, counts), runAll(beside, counts)]);
  const ok = ended.every(Boolean);
  const { passed, failed } = existsSync(counts) ? await readCounts(counts) : { passed: 0, failed: 0 };
  const seconds = ((Date.now() - start) / 1000).toFixed(1);
  console.log(`== ${name}: ${ok ? 'ok' : 'FAILED'} after ${seconds} s`);
  return { passed, failed: ok ? failed : Math.max(failed, 1) };
}

await rm(results, { recursive: true, force: true });
await mkdir(results, { recursive: true });
const total = { passed: 0, failed: 0 };
for (const [index, step] of steps.entries()) {
  const { passed, failed } = await runStep(step, index);
  total.passed += passed;
  total.failed += failed;
  if (failed > 0) break;
}
process.exitCode = total.failed > 0 ? 1 : 0;
console.log(`\n${total.passed} passed, ${total.failed} failed`);
