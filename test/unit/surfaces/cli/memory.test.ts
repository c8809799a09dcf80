import { spawnSync } from 'node:child_process';
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { builtCommandLine } from '../../../support/builtCommandLine.js';
import { messageLines } from '../../../support/commandLine.js';
import { someOf } from '../../../support/fixedInputs.js';

/** How large the transcript is, in megabytes. */
const MEGABYTES = 40;
/**
 * What the program may take above a process that does nothing, in megabytes: up to 106 was seen beside much other work, and the
 * messages of the whole transcript alone take 103 in addition.
 */
const MAX_MEGABYTES = 130;
/** The same where it is unpacked, which leaves more for the garbage collector. */
const MAX_PACKED_MEGABYTES = 150;

const program = builtCommandLine();
let place = '';
let peakOfImport = 0;
let idle = 0;

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'logbook-memory-'));
  const text = 'flour '.repeat(330);
  for (let megabyte = 0; megabyte < MEGABYTES; megabyte++) {
    const said = Array.from(
      { length: 500 },
      (_, at) => [at % 2 === 0 ? 'user' : 'assistant', `${megabyte} ${at} ${text}`] as const,
    );
    await appendFile(join(place, 'large.jsonl'), messageLines(...said));
  }
  await pipeline(
    createReadStream(join(place, 'large.jsonl')),
    createGzip({ level: 1 }),
    createWriteStream(join(place, 'packed.jsonl.gz')),
  );
  idle = peakOf('');
  peakOfImport = peakOf(runsProgram(), 'import', 'large.jsonl');
});

afterAll(() => rm(place, { recursive: true, force: true }));

/** Tells the most memory that this process took, in kilobytes: Linux counts that of whoever started it into `maxRSS`. */
const TELL = `process.on('exit', () => {
  let status = '';
  try { status = require('node:fs').readFileSync('/proc/self/status', 'utf8'); } catch {}
  process.stderr.write('\\n' + (/VmHWM:\\s*(\\d+)/.exec(status)?.[1] ?? process.resourceUsage().maxRSS));
});`;

/** The most memory that a script took in a process of its own, in megabytes. */
function peakOf(script: string, ...args: readonly string[]): number {
  const { stderr, status } = spawnSync(process.execPath, ['-e', `${TELL} ${script}`, ...args], {
    cwd: place,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  expect(status).toBe(0);
  return Number(stderr.split('\n').at(-1)) / 1024;
}

const runsProgram = () =>
  `process.argv.splice(1, 0, 'agent-logbook'); require(${JSON.stringify(program())});`;

const asked = [['list'], ['stats'], ['tools'], ['query', '--count', 'flour'], ['search', 'flour']].flatMap(
  (command) => ['large.jsonl', 'latest'].map((source) => ({ command, source })),
);

test.each(someOf(asked, 4))('$command holds little of a large transcript, $source', ({ command, source }) => {
  const peak = peakOf(runsProgram(), ...command, source);
  expect(peak - idle).toBeGreaterThan(0);
  expect(peak - idle).toBeLessThan(MAX_MEGABYTES);
});

test('of a packed transcript as little is held', () => {
  const peak = peakOf(runsProgram(), 'show', '-n', '1', 'packed.jsonl.gz');
  expect(peak - idle).toBeGreaterThan(0);
  expect(peak - idle).toBeLessThan(MAX_PACKED_MEGABYTES);
});

test('an import holds little of a large transcript', () => {
  const above = peakOfImport - idle;
  expect(above).toBeGreaterThan(0);
  expect(above).toBeLessThan(MAX_MEGABYTES);
});
