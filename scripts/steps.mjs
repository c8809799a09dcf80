import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { styleText } from 'node:util';
import { readCounts } from './counts.mjs';

/** @import { Counts } from './counts.mjs' */

const root = join(import.meta.dirname, '..');

/** Where it is kept how long each test file took when it last ran, for `npm run test:changed`. */
const DURATIONS = join(root, 'out/durations.json');

/**
 * A part of the checks: commands that run one after the other, until the first that fails.
 * @typedef {object} Step
 * @property {string} name
 * @property {readonly (readonly string[])[]} commands
 * @property {readonly string[]} [after] the steps that must have succeeded before it begins; left out, none
 * @property {Readonly<Record<string, string>>} [env]
 */

/** @typedef {{ readonly ok: boolean, readonly seconds: number, readonly processor: number | undefined } & Counts} Outcome */

/** The command of an npm script. @param {string} script */
export function npmRun(script) {
  return ['npm', 'run', '--silent', script];
}

/** The command that runs test files by vitest. @param {...string} args */
export function vitest(...args) {
  const program = 'node_modules/vitest/vitest.mjs';
  return [process.execPath, program, 'run', '--reporter=default', '--reporter=json', ...args];
}

/**
 * Runs steps, each as soon as those that it comes after have succeeded; once one has failed, none begins any more. What a
 * step prints is told as a whole when it ends. Then come what each took, and the slowest test files.
 * @param {readonly Step[]} steps
 * @param {{ results: string, durations?: string }} where the folder for what they print and count, and the file that keeps
 * how long each test file took
 * @returns {Promise<Counts>} over all steps; one that fails without a failed test, such as a build, counts as one failure
 */
export async function runSteps(steps, { results, durations = DURATIONS }) {
  await rm(results, { recursive: true, force: true });
  await mkdir(results, { recursive: true });
  const begun = Date.now();
  /** @type {Map<string, Outcome>} */
  const outcomes = new Map();
  /** @type {Map<string, Promise<void>>} */
  const running = new Map();
  const beginReady = () => {
    if ([...outcomes.values()].some(({ ok }) => !ok)) return;
    for (const [index, step] of steps.entries()) {
      const isReady = (step.after ?? []).every((name) => outcomes.has(name));
      if (!isReady || outcomes.has(step.name) || running.has(step.name)) continue;
      const ended = runStep(step, join(results, String(index + 1))).then((outcome) => {
        outcomes.set(step.name, outcome);
        running.delete(step.name);
      });
      running.set(step.name, ended);
    }
  };
  for (beginReady(); running.size > 0; beginReady()) await Promise.race(running.values());
  const files = await testFiles(steps.map((_, index) => join(results, `${index + 1}.json`)));
  const known = { ...(await lastDurations(durations)), ...Object.fromEntries(files) };
  await writeFile(durations, JSON.stringify(known));
  tell(steps, outcomes, (Date.now() - begun) / 1000, files);
  const all = [...outcomes.values()];
  return {
    passed: all.reduce((sum, { passed }) => sum + passed, 0),
    failed: all.reduce((sum, { failed }) => sum + failed, 0),
  };
}

/** How many seconds each test file took, as far as is known. @returns {Promise<Record<string, number>>} */
export async function lastDurations(durations = DURATIONS) {
  return existsSync(durations) ? JSON.parse(await readFile(durations, 'utf8')) : {};
}

/**
 * Runs a step and tells what it printed.
 * @param {Step} step
 * @param {string} path of what it writes, without an ending
 * @returns {Promise<Outcome>}
 */
async function runStep({ name, commands, env }, path) {
  const start = Date.now();
  console.log(`== ${name}: begins`);
  const counts = `${path}.json`;
  let ok = true;
  /** @type {number | undefined} */
  let processor = 0;
  const log = await open(`${path}.log`, 'w');
  for (const command of commands) {
    const run = await runCommand(command, { log: log.fd, counts, env });
    processor = run.processor === undefined ? undefined : (processor ?? 0) + run.processor;
    ok = run.ok;
    if (!ok) break;
  }
  await log.close();
  const { passed, failed } = existsSync(counts) ? await readCounts(counts) : { passed: 0, failed: 0 };
  const seconds = (Date.now() - start) / 1000;
  const verdict = ok ? styleText('green', 'ok') : styleText('red', 'FAILED');
  process.stdout.write(
    `\n== ${name}\n${await readFile(`${path}.log`, 'utf8')}== ${name}: ${verdict} after ${seconds.toFixed(1)} s\n\n`,
  );
  return { ok, seconds, processor, passed, failed: ok ? failed : Math.max(failed, 1) };
}

/**
 * @param {readonly string[]} command
 * @param {{ log: number, counts: string, env: Readonly<Record<string, string>> | undefined }} where what it prints goes,
 * and where a test runner tells its counts
 * @returns {Promise<{ ok: boolean, processor: number | undefined }>} whether it succeeded, and the seconds of processor
 */
async function runCommand(command, { log, counts, env }) {
  const outputFile = command.includes('--reporter=json') ? [`--outputFile.json=${counts}`] : [];
  const [program = '', ...args] = [...command, ...outputFile];
  const options = { cwd: root, env: { ...process.env, ...env, AGENT_LOGBOOK_COUNTS: counts } };
  if (process.platform === 'win32') {
    const child = spawn(program, args, { ...options, stdio: ['ignore', log, log], shell: program === 'npm' });
    const [code] = await once(child, 'exit');
    return { ok: code === 0, processor: undefined };
  }
  // Node does not tell what its children took; a shell does, with all below them that were waited for.
  const timed = '"$@"; code=$?; times >&3; exit $code';
  const child = spawn('sh', ['-c', timed, 'sh', program, ...args], {
    ...options,
    stdio: ['ignore', log, log, 'pipe'],
  });
  const times = text(/** @type {import('node:stream').Readable} */ (child.stdio[3]));
  const [code] = await once(child, 'exit');
  return { ok: code === 0, processor: secondsIn(await times) };
}

/** The seconds of what a shell's `times` prints, such as `0m1.5s 0m0.2s`. @param {string} times */
function secondsIn(times) {
  let sum = 0;
  for (const [, minutes, seconds] of times.matchAll(/(\d+)m([\d.]+)s/g))
    sum += Number(minutes) * 60 + Number(seconds);
  return sum;
}

/**
 * The test files of vitest's reports with the seconds that each took, the slowest first.
 * @param {readonly string[]} reports
 * @returns {Promise<[file: string, seconds: number][]>}
 */
async function testFiles(reports) {
  const files = [];
  for (const report of reports) {
    if (!existsSync(report)) continue;
    const { testResults = [] } = JSON.parse(await readFile(report, 'utf8'));
    for (const { name, startTime, endTime } of testResults)
      files.push(
        /** @type {[string, number]} */ ([
          relative(root, name).replaceAll('\\', '/'),
          (endTime - startTime) / 1000,
        ]),
      );
  }
  return files.sort(([, a], [, b]) => b - a);
}

/**
 * @param {readonly Step[]} steps
 * @param {ReadonlyMap<string, Outcome>} outcomes
 * @param {number} seconds of all together
 * @param {readonly [string, number][]} files
 */
function tell(steps, outcomes, seconds, files) {
  const row = (/** @type {string[]} */ ...[name = '', ...cells]) =>
    console.log(name.padEnd(44) + cells.map((cell) => cell.padStart(12)).join(''));
  row('step', 'clock', 'processor', 'passed', 'failed');
  let processor = 0;
  for (const { name } of steps) {
    const outcome = outcomes.get(name);
    if (!outcome) {
      row(name, 'not run');
      continue;
    }
    processor += outcome.processor ?? 0;
    const took = outcome.processor === undefined ? 'unknown' : clock(outcome.processor);
    row(name, clock(outcome.seconds), took, String(outcome.passed), String(outcome.failed));
  }
  row('together', clock(seconds), clock(processor));
  if (files.length > 0) console.log('\nThe slowest test files:');
  for (const [file, took] of files.slice(0, 10)) console.log(`${took.toFixed(1).padStart(8)} s  ${file}`);
}

/** @param {number} seconds */
function clock(seconds) {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')} min`;
}
