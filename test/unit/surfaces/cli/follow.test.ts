import { appendFile, chmod, copyFile, mkdir, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { appendFileSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { agentLogbook, folderWith, messageLines } from '../../../support/commandLine.js';
import { bodyOf, claude, following, saidIn } from '../../../support/following.js';
import { hasRealTranscripts, realTranscriptPaths } from '../../../support/realTranscripts.js';
import { temporaryFolder } from '../../../support/storeFixture.js';

/** What happens while `follow` waits for the next time that it looks. */
const waits = vi.hoisted(() => ({ next: (): Promise<void> => Promise.resolve() }));
vi.mock(import('../../../../src/core/timers.js'), async (original) => ({
  ...(await original()),
  delay: () => waits.next(),
}));

describe('a file that is followed', () => {
  test('is told once: a line that was seen half written waits for its rest', async () => {
    const cwd = await folderWith({ 'a.jsonl': messageLines(['user', 'Hello']) });
    const file = join(cwd, 'a.jsonl');
    const line = messageLines(['assistant', 'Good day, you']);
    const { out, err } = await following(waits, ['a.jsonl'], cwd, [
      () => appendFile(file, line.slice(0, 30)),
      () => appendFile(file, line.slice(30)),
      () => appendFile(file, messageLines(['user', 'Bye'])),
    ]);
    expect(err).toBe('');
    expect(bodyOf(out)).toEqual(['  Bye', '  Good day, you', '  Hello']);
  });

  const isRoot = process.getuid?.() === 0;
  test.each([
    ['a folder stands in its place', 'it is a folder', (file: string) => mkdir(file)],
    ...(isRoot || process.platform === 'win32'
      ? []
      : [
          [
            'it may not be read',
            'your user may not read it',
            async (file: string) => {
              await writeFile(file, messageLines(['user', 'Nobody reads this']));
              await chmod(file, 0);
            },
          ] as const,
        ]),
  ] as const)('goes on where it was when for a while %s, which is told once', async (_when, why, block) => {
    const cwd = await folderWith({ 'a.jsonl': messageLines(['user', 'Hello']) });
    const file = join(cwd, 'a.jsonl');
    const { out, err } = await following(waits, ['a.jsonl'], cwd, [
      async () => {
        await rename(file, `${file}.kept`);
        await block(file);
      },
      () => Promise.resolve(),
      async () => {
        await rm(file, { recursive: true });
        await rename(`${file}.kept`, file);
        await appendFile(file, messageLines(['user', 'Bye']));
      },
    ]);
    expect(err).toBe(`agent-logbook: a.jsonl cannot be read now: ${why}; it is looked at again and again.\n`);
    expect(bodyOf(out)).toEqual(['  Bye', '  Hello']);
  });

  test('with a half line at first is no file that is damaged', async () => {
    const line = messageLines(['assistant', 'Good day, you']);
    const cwd = await folderWith({ 'a.jsonl': `${messageLines(['user', 'Hello'])}${line.slice(0, 30)}` });
    const { out, err } = await following(waits, ['a.jsonl'], cwd, [
      () => appendFile(join(cwd, 'a.jsonl'), line.slice(30)),
    ]);
    expect(err).toBe('');
    expect(bodyOf(out)).toEqual(['  Good day, you', '  Hello']);
  });

  test('shows what further lines of the same message say, and nothing twice', async () => {
    const cwd = await folderWith({ 's1.jsonl': claude('u1', 'user', 'Why?') });
    const more = (uuid: string, block: object) => () =>
      appendFile(join(cwd, 's1.jsonl'), claude(uuid, 'assistant', [block], 'm1'));
    const steps = [
      more('a1', { type: 'text', text: 'Let me look.' }),
      more('a2', { type: 'tool_use', id: 't1', name: 'Read', input: { path: 'a.ts' } }),
      more('a3', { type: 'tool_use', id: 't2', name: 'Read', input: { path: 'b.ts' } }),
      () =>
        appendFile(
          join(cwd, 's1.jsonl'),
          claude('u2', 'user', [{ type: 'tool_result', tool_use_id: 't1', content: 'A' }]),
        ),
    ];
    const { out, err } = await following(waits, ['s1.jsonl'], cwd, steps);
    expect(err).toBe('');
    expect(bodyOf(out)).toEqual(
      bodyOf((await agentLogbook(['show', 's1.jsonl'], { cwd })).out).filter((line) => line.startsWith('  ')),
    );
    expect(out.match(/goes on/g)).toHaveLength(2);
  });

  test.each([
    ['moved away and begun anew', async (file: string) => rename(file, `${file}.1`)],
    ['cut off', async (file: string) => truncate(file, 0)],
  ])('that is %s is another file, which is said', async (_how, away) => {
    const cwd = await folderWith({
      's1.jsonl': claude('u1', 'user', 'Why?') + claude('u2', 'user', 'And why?'),
    });
    const file = join(cwd, 's1.jsonl');
    const other = claude('v1', 'user', 'How?').replaceAll('"s1"', '"s2"');
    const { out, err } = await following(waits, ['s1.jsonl'], cwd, [
      () => away(file),
      () => appendFile(file, other),
      () => appendFile(file, claude('v2', 'user', 'And how?').replaceAll('"s1"', '"s2"')),
    ]);
    expect(err).toContain('agent-logbook: s1.jsonl is another file now; it follows from its beginning.\n');
    expect(bodyOf(out)).toEqual(['  And how?', '  And why?', '  How?', '  Why?']);
  });

  test('that is replaced in one step is another file', async () => {
    const cwd = await folderWith({ 's1.jsonl': claude('u1', 'user', 'Why?') });
    const file = join(cwd, 's1.jsonl');
    const { out, err } = await following(waits, ['s1.jsonl'], cwd, [
      async () => {
        await writeFile(`${file}.new`, claude('v1', 'user', 'How?') + claude('v2', 'user', 'And how?'));
        await rename(`${file}.new`, file);
      },
    ]);
    expect(err).toBe('agent-logbook: s1.jsonl is another file now; it follows from its beginning.\n');
    expect(bodyOf(out)).toEqual(['  And how?', '  How?', '  Why?']);
  });

  test('that loses its end is told, and what stays is not shown again', async () => {
    const first = claude('u1', 'user', 'Why?');
    const cwd = await folderWith({ 's1.jsonl': first + claude('u2', 'user', 'And why?') });
    const { out, err } = await following(waits, ['s1.jsonl'], cwd, [
      () => truncate(join(cwd, 's1.jsonl'), first.length),
      () => appendFile(join(cwd, 's1.jsonl'), claude('u3', 'user', 'How?')),
    ]);
    expect(err).toBe('agent-logbook: s1.jsonl was written anew: a message that was in it is not any more.\n');
    expect(bodyOf(out)).toEqual(['  And why?', '  How?', '  Why?']);
  });

  test('that is gone is told once', async () => {
    const cwd = await folderWith({ 's1.jsonl': claude('u1', 'user', 'Why?') });
    const { err } = await following(waits, ['s1.jsonl'], cwd, [
      () => rm(join(cwd, 's1.jsonl')),
      () => Promise.resolve(),
    ]);
    expect(err).toBe('agent-logbook: s1.jsonl is not there any more.\n');
  });

  test('has all that comes from the first look at it on', async () => {
    const cwd = await folderWith({ 'a.jsonl': messageLines(['user', 'Hello']) });
    let isFirst = true;
    const { out } = await following(waits, ['a.jsonl'], cwd, [() => Promise.resolve()], () => {
      if (isFirst) appendFileSync(join(cwd, 'a.jsonl'), messageLines(['user', 'Good day']));
      isFirst = false;
    });
    expect(bodyOf(out)).toEqual(['  Good day', '  Hello']);
  });

  test('is told again for programs where a record of it has changed', async () => {
    const cwd = await folderWith({
      's1.jsonl': claude('a1', 'assistant', [{ type: 'text', text: 'A' }], 'm1'),
    });
    const more = () =>
      appendFile(join(cwd, 's1.jsonl'), claude('a2', 'assistant', [{ type: 'text', text: 'B' }], 'm1'));
    const { json } = await following(waits, ['s1.jsonl', '--json'], cwd, [more]);
    expect(json.map(({ position }) => position)).toEqual([0, 0]);
  });
});

/** What happens to a file of two messages, and which positions the records that are told then have. */
const CHANGES: readonly (readonly [
  string,
  readonly ((file: string) => Promise<void>)[],
  readonly number[],
])[] = [
  [
    'its end is cut off and it grows again',
    [(file) => truncate(file, messages(1).length), (file) => appendFile(file, messages(1, 'New'))],
    [0, 1, 2],
  ],
  [
    'it is cut off and written as before',
    [(file) => truncate(file, 0), (file) => appendFile(file, messages(2) + messages(1, 'New'))],
    [0, 1, 2],
  ],
  [
    'something is put before what was there',
    [(file) => writeFile(file, messages(1, 'New') + messages(2) + messages(1, 'Newer'))],
    [0, 1, 2, 3],
  ],
  [
    'all of it is something else',
    [(file) => writeFile(file, messages(2, 'New')), (file) => appendFile(file, messages(1, 'Newer'))],
    [0, 1, 2, 3, 4],
  ],
];
const messages = (count: number, word = 'Old') =>
  Array.from({ length: count }, (_, at) => claude(`${word}${at}`, 'user', `${word} ${at}`)).join('');

test.each(CHANGES)('a position is that of one record for ever: %s', async (_what, changes, positions) => {
  const cwd = await folderWith({ 's1.jsonl': messages(2) });
  const steps = changes.map((change) => () => change(join(cwd, 's1.jsonl')));
  const { json } = await following(waits, ['s1.jsonl', '--json'], cwd, steps);
  expect(json.map(({ position }) => position)).toEqual(positions);
});

/** Up to which size real sessions are written piece by piece, in bytes: each piece is a reading. */
const MAX_SESSION = 60_000;

test.runIf(hasRealTranscripts)(
  'what is shown of real sessions while they are written line by line, and in halves, is what show tells of the whole',
  { timeout: 120_000 },
  async () => {
    let sessions = 0;
    for (const path of realTranscriptPaths('.jsonl')) {
      const text = readFileSync(path, 'utf8');
      if (text.length > MAX_SESSION) continue;
      const cwd = await temporaryFolder();
      const name = basename(path);
      await copyFile(path, join(cwd, name));
      const whole = await agentLogbook(['show', '--json', name], { cwd });
      const [first, ...rest] = text.split(/(?<=\n)/);
      if (whole.code !== 0 || rest.length === 0 || first === undefined) continue;
      // Before anything is said in it, it is no session.
      await writeFile(join(cwd, name), first);
      let begin = first;
      while (rest.length > 0 && (await agentLogbook(['show', name], { cwd })).code !== 0) {
        begin += rest.shift() ?? '';
        await writeFile(join(cwd, name), begin);
      }
      const steps = rest.flatMap((line) => {
        const half = Math.floor(line.length / 2);
        return [line.slice(0, half), line.slice(half)].map(
          (piece) => () => appendFile(join(cwd, name), piece),
        );
      });
      const told = await following(waits, ['--json', '-n', '1000000', name], cwd, steps);
      const said = saidIn(told.json);
      for (const each of saidIn(whole.json)) {
        expect(said, path).toContain(each);
        said.splice(said.indexOf(each), 1);
      }
      expect(told.err, path).toBe('');
      await writeFile(join(cwd, name), begin);
      const seen = await following(waits, ['-n', '1000000', '--full', name], cwd, steps);
      const shown = await agentLogbook(['show', '--full', name], { cwd });
      // Its title and what it is stand before the messages, and what it came to behind them.
      const messages = shown.out.trimEnd().split('\n').slice(2, -1);
      expect(bodyOf(seen.out), path).toEqual(bodyOf(messages.join('\n')));
      sessions++;
    }
    expect(sessions).toBeGreaterThan(10);
  },
);
