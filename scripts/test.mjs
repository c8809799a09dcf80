/**
 * `npm test`: everything there is to check but what `npm run test:deep` does. The set-up comes first and is told apart.
 * Then two rows of steps run beside each other: what keeps a processor busy, and what mostly waits for the windows of VS
 * Code. The last line is `N passed, N failed`, summed over the test runners.
 */
import { join } from 'node:path';
import { npmRun, runSteps, vitest } from './steps.mjs';

/** @import { Step } from './steps.mjs' */

const results = join(import.meta.dirname, '../out/results');
const node = process.execPath;
const ui = (/** @type {string} */ folder) => vitest('--config', 'vitest.ui.config.ts', folder);

/** @type {Step[]} */
const setUp = [{ name: 'set-up', commands: [[node, 'scripts/setUp.mjs']] }];

/** The same commands as the npm scripts, without building anew for each; `dist/` is changed by one step at a time. @type {Step[]} */
const steps = [
  { name: 'build', commands: [[node, 'esbuild.mjs']] },
  { name: 'format, lint', commands: [npmRun('format:check'), npmRun('lint'), npmRun('house')] },
  { name: 'types', commands: [npmRun('types')], after: ['build'] },
  { name: 'unit tests', commands: [vitest()], after: ['format, lint', 'types'] },
  {
    name: 'faults, the short campaign',
    commands: [[node, 'test/faults/run.mjs', 'short']],
    after: ['unit tests'],
  },
  { name: 'user interface in VS Code', commands: [ui('test/ui/')], after: ['build'] },
  {
    name: 'suite in VS Code',
    commands: [[node, 'scripts/testVscode.mjs']],
    after: ['user interface in VS Code'],
  },
  { name: 'npm start', commands: [ui('test/start/')], after: ['suite in VS Code'] },
  {
    name: 'packaged extension in VS Code',
    commands: [npmRun('package'), ui('test/vsix/')],
    after: ['npm start'],
  },
  {
    name: 'oldest VS Code',
    commands: [[node, 'scripts/testVscode.mjs', '--oldest', '--files', 'smoke']],
    after: ['packaged extension in VS Code'],
  },
];

const prepared = await runSteps(setUp, { results: join(results, 'setUp') });
const { passed, failed } =
  prepared.failed > 0 ? prepared : await runSteps(steps, { results: join(results, 'checks') });
process.exitCode = failed > 0 ? 1 : 0;
console.log(`\n${passed} passed, ${failed} failed`);
