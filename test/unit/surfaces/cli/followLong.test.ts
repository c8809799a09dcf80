import { readFileSync } from 'node:fs';
import { appendFile, copyFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { LONG_BYTES } from '../../../../src/surfaces/cli/fileTail.js';
import { agentLogbook, folderWith, messageLines } from '../../../support/commandLine.js';
import { bodyOf, claude, following, saidIn } from '../../../support/following.js';
import { hasRealTranscripts, realTranscriptPaths } from '../../../support/realTranscripts.js';
import { temporaryFolder } from '../../../support/storeFixture.js';

const waits = vi.hoisted(() => ({ next: (): Promise<void> => Promise.resolve() }));
vi.mock(import('../../../../src/core/timers.js'), async (original) => ({
  ...(await original()),
  delay: () => waits.next(),
}));

/** How often a file was read as a whole, and was tried to be read on. */
const readings = vi.hoisted(() => ({ count: 0, tried: 0 }));
vi.mock(import('../../../../src/import/following/followFile.js'), async (original) => {
  const { followFile, ...others } = await original();
  return {
    ...others,
    followFile: (...args: Parameters<typeof followFile>) => {
      readings.tried++;
      return followFile(...args);
    },
  };
});
vi.mock(import('../../../../src/import/importFile.js'), async (original) => {
  const { openImport, ...others } = await original();
  return {
    ...others,
    openImport: (...args: Parameters<typeof openImport>) => {
      readings.count++;
      return openImport(...args);
    },
  };
});

/** The time that it is. */
let now = 0;

beforeEach(() => {
  [now, readings.count, readings.tried] = [Date.now(), 0, 0];
  vi.spyOn(Date, 'now').mockImplementation(() => now);
});
afterEach(() => vi.restoreAllMocks());

/** Nothing comes for a while. */
const quiet = () => Promise.resolve((now += 4_000));

const before = Array.from({ length: 12 }, (_, at) =>
  claude(`u${at}`, 'user', `Question ${at}. ${'Very long. '.repeat(LONG_BYTES / 120)}`),
).join('');

const text = (words: string) => [{ type: 'text', text: words }];

describe('a long file that is followed', () => {
  test('is read once: what comes is read by itself, and what may go on is shown when nothing more comes', async () => {
    const cwd = await folderWith({ 's1.jsonl': before });
    const file = join(cwd, 's1.jsonl');
    const lines = [
      claude('a1', 'assistant', text('First.'), 'm1'),
      claude('a2', 'assistant', text('And more.'), 'm1'),
      claude('v1', 'user', 'Why?'),
      claude('a3', 'assistant', text('Because.'), 'm2'),
    ];
    const { out, err } = await following(waits, ['s1.jsonl', '-n', '0'], cwd, [
      ...lines.map((line) => () => appendFile(file, line)),
      quiet,
      () => appendFile(file, claude('v2', 'user', 'And why?')),
    ]);
    expect(err).toBe('');
    expect(bodyOf(out)).toEqual(['  And more.', '  And why?', '  Because.', '  First.', '  Why?']);
    expect(readings.count).toBe(1);
  });

  test('of which a line changes what was said before is read again, and shown again where it goes on in the middle', async () => {
    const cwd = await folderWith({ 's1.jsonl': before });
    const file = join(cwd, 's1.jsonl');
    const lines = [
      claude('a1', 'assistant', text('First.'), 'm1'),
      claude('v1', 'user', 'Why?'),
      claude('a2', 'assistant', text('And more.'), 'm1'),
      claude('v2', 'user', 'And why?'),
    ];
    const steps = lines.map((line) => () => appendFile(file, line));
    const { out, err } = await following(waits, ['s1.jsonl', '-n', '0'], cwd, [...steps, quiet]);
    expect(err).toBe('');
    expect(bodyOf(out)).toEqual(['  And more.', '  And why?', '  First.', '  First.', '  Why?']);
    expect(readings.count).toBeGreaterThan(1);
  });

  test('of a format that cannot be read on is tried once, and read again whenever it has changed', async () => {
    const cwd = await folderWith({
      'a.jsonl': messageLines(['user', 'Very long. '.repeat(LONG_BYTES / 10)]),
    });
    const more = ['One', 'Two', 'Three'].map(
      (words) => () => appendFile(join(cwd, 'a.jsonl'), messageLines(['user', words])),
    );
    const { out } = await following(waits, ['a.jsonl', '-n', '0'], cwd, more);
    expect(bodyOf(out)).toEqual(['  One', '  Three', '  Two']);
    expect(readings).toEqual({ count: 4, tried: 1 });
  });

  test('that is replaced is another file', async () => {
    const cwd = await folderWith({ 's1.jsonl': before });
    const file = join(cwd, 's1.jsonl');
    const { out, err } = await following(waits, ['s1.jsonl', '-n', '0'], cwd, [
      () => appendFile(file, claude('v1', 'user', 'Why?')),
      async () => {
        await writeFile(`${file}.new`, claude('w1', 'user', 'How?'));
        await rename(`${file}.new`, file);
      },
      () => appendFile(file, claude('w2', 'user', 'And how?')),
    ]);
    expect(err).toBe('agent-logbook: s1.jsonl is another file now; it follows from its beginning.\n');
    expect(bodyOf(out)).toEqual(['  And how?', '  How?', '  Why?']);
  });
});

test.runIf(hasRealTranscripts)(
  'what is shown of a long real session that is written in pieces is what show tells of the whole',
  { timeout: 120_000 },
  async () => {
    let sessions = 0;
    for (const path of realTranscriptPaths('.jsonl')) {
      const whole = readFileSync(path);
      if (whole.length < LONG_BYTES * 1.1) continue;
      const cwd = await temporaryFolder();
      const file = join(cwd, 's.jsonl');
      await copyFile(path, file);
      const { json } = await agentLogbook(['show', '--json', 's.jsonl'], { cwd });
      await writeFile(file, whole.subarray(0, LONG_BYTES));
      readings.count = 0;
      const piece = Math.ceil((whole.length - LONG_BYTES) / 40);
      const steps = Array.from({ length: 40 }, (_, at) => () => {
        const from = LONG_BYTES + at * piece;
        return appendFile(file, whole.subarray(from, from + piece));
      });
      const told = await following(waits, ['--json', '-n', '1000000', 's.jsonl'], cwd, [
        ...steps,
        quiet,
        quiet,
      ]);
      const said = saidIn(told.json);
      for (const each of saidIn(json)) {
        expect(said, path).toContain(each);
        said.splice(said.indexOf(each), 1);
      }
      expect(told.err, path).toBe('');
      expect(readings.count, path).toBe(1);
      sessions++;
    }
    expect(sessions).toBeGreaterThan(0);
  },
);
