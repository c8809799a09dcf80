/**
 * `npm run test:deep`: what takes too long for each commit. All runs of all properties, the whole unit tests in three
 * shuffled orders, each with a seed that nobody has tried (SEED=7 tries 7, 8 and 9), the long campaign of faults, soak,
 * random teams, and what the user interface shows of large or many transcripts. The last line is `N passed, N failed`.
 */
import { join } from 'node:path';
import { seedOf } from './seed.mjs';
import { runSteps, vitest } from './steps.mjs';

/** @import { Step } from './steps.mjs' */

const first = seedOf(process.env.SEED ?? 'new');
const node = process.execPath;
const seeded = (/** @type {number} */ at) => ({ SEED: String(first + at) });

/** @type {Step[]} */
const steps = [
  {
    name: `all runs, seed ${first}`,
    commands: [vitest('--sequence.shuffle.files')],
    env: { ...seeded(0), DEEP: '1' },
  },
  {
    name: `another order, seed ${first + 1}`,
    commands: [vitest('--sequence.shuffle.files')],
    env: seeded(1),
    after: [`all runs, seed ${first}`],
  },
  {
    name: `another order, seed ${first + 2}`,
    commands: [vitest('--sequence.shuffle.files')],
    env: seeded(2),
    after: [`another order, seed ${first + 1}`],
  },
  {
    name: 'soak, 20 rounds; 5,000 random teams; 100 kills of an archive',
    commands: [vitest('soak.test', 'campaign.test', 'archiveFaults.test')],
    env: {
      ...seeded(0),
      DEEP: '1',
      SOAK: '20',
      CAMPAIGN: '5000',
      AGENT_LOGBOOK_ARCHIVE_KILLS: '100',
    },
    after: [`another order, seed ${first + 2}`],
  },
  {
    name: 'faults, the long campaign',
    commands: [[node, 'test/faults/run.mjs', 'long', '', String(first)]],
    after: ['soak, 20 rounds; 5,000 random teams; 100 kills of an archive'],
  },
  {
    name: 'user interface: all real transcripts, 10,000 conversations',
    commands: [
      [node, 'scripts/setUp.mjs'],
      [node, 'esbuild.mjs'],
      vitest('--config', 'vitest.ui.config.ts', 'test/ui/realTranscripts', 'test/ui/manyConversations'),
    ],
    env: { ...seeded(0), DEEP: '1' },
    after: ['faults, the long campaign'],
  },
];

console.log(`SEED=${first} npm run test:deep does the same again.`);
const { passed, failed } = await runSteps(steps, {
  results: join(import.meta.dirname, '../out/results/deep'),
});
process.exitCode = failed > 0 ? 1 : 0;
console.log(`\n${passed} passed, ${failed} failed`);
