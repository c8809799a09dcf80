import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { runSteps } from '../../../scripts/steps.mjs';

const node = (code: string) => [process.execPath, '-e', code];

/** Runs steps in a folder of their own; gives what they counted and what was told. */
async function run(steps: (folder: string) => Parameters<typeof runSteps>[0]) {
  const folder = await mkdtemp(join(tmpdir(), 'steps-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const told: string[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((line: string) => void told.push(line));
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    told.push(String(text));
    return true;
  });
  const where = { results: join(folder, 'results'), durations: join(folder, 'durations.json') };
  const counts = await runSteps(steps(folder), where).finally(() => {
    log.mockRestore();
    write.mockRestore();
  });
  return { folder, counts, told: told.join('\n') };
}

const counting = (counts: object) =>
  node(`require('fs').writeFileSync(process.env.AGENT_LOGBOOK_COUNTS, '${JSON.stringify(counts)}')`);

test('counts are summed, and what a step prints is told as a whole', async () => {
  const { counts, told } = await run(() => [
    { name: 'one', commands: [node('console.log("first"); console.error("second")')] },
    { name: 'two', commands: [counting({ passed: 2, failed: 0 })], after: ['one'] },
    { name: 'three', commands: [counting({ numPassedTests: 3, numFailedTests: 0, testResults: [] })] },
  ]);
  expect(counts).toEqual({ passed: 5, failed: 0 });
  expect(told).toContain('== one\nfirst\nsecond\n== one:');
  expect(told).toMatch(/^two +\d:\d\d min/m);
});

test('steps that wait for none run at the same time', async () => {
  const meets = (own: string, other: string, folder: string) =>
    node(
      `const fs = require('fs'); fs.writeFileSync('${folder}/${own}', ''); (function wait() { if (!fs.existsSync('${folder}/${other}')) setTimeout(wait, 5) })()`,
    );
  const { counts } = await run((folder) => [
    { name: 'one', commands: [meets('a', 'b', folder)] },
    { name: 'other', commands: [meets('b', 'a', folder)] },
  ]);
  expect(counts).toEqual({ passed: 0, failed: 0 });
});

test('after a step that fails without a failed test no other begins, and it counts as one failure', async () => {
  const { counts, told, folder } = await run((made) => [
    { name: 'broken', commands: [node('console.log("why"); process.exit(3)'), ['false']] },
    {
      name: 'next',
      commands: [node(`require('fs').writeFileSync('${made}/ran', '')`)],
      after: ['broken'],
    },
  ]);
  expect(counts).toEqual({ passed: 0, failed: 1 });
  expect(told).toContain('== broken\nwhy\n');
  expect(told).toContain('FAILED');
  expect(told).toMatch(/^next +not run$/m);
  await expect(readFile(join(folder, 'ran'))).rejects.toThrow('ENOENT');
});

test('a program that is not there is a failure', async () => {
  const { counts } = await run(() => [{ name: 'missing', commands: [['/no/such/program']] }]);
  expect(counts).toEqual({ passed: 0, failed: 1 });
});

test('the slowest test files are told, and how long each took is kept', async () => {
  const root = join(import.meta.dirname, '../../..');
  const testResults = [
    { name: join(root, 'test/quick.test.ts'), startTime: 0, endTime: 10 },
    { name: join(root, 'test/slow.test.ts'), startTime: 0, endTime: 4_000 },
  ];
  const { told, folder } = await run(() => [
    { name: 'tests', commands: [counting({ numPassedTests: 2, numFailedTests: 0, testResults })] },
  ]);
  expect(told).toMatch(/4\.0 s {2}test\/slow\.test\.ts\n +0\.0 s {2}test\/quick\.test\.ts$/);
  expect(JSON.parse(await readFile(join(folder, 'durations.json'), 'utf8'))).toEqual({
    'test/quick.test.ts': 0.01,
    'test/slow.test.ts': 4,
  });
});
