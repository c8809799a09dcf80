import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CommandName } from '../../../../src/surfaces/cli/command.js';
import { commands } from '../../../../src/surfaces/cli/commands.js';
import { someOf } from '../../../support/fixedInputs.js';
import { builtCommandLine } from '../../../support/builtCommandLine.js';
import { agentLogbook, messageLines } from '../../../support/commandLine.js';

/** How a command is asked to read a file; undefined: it reads none, and its own tests drive it. A new command is missing here. */
const reading: Readonly<Record<CommandName, ((file: string) => readonly string[]) | undefined>> = {
  list: (file) => ['list', file],
  show: (file) => ['show', file],
  follow: (file) => ['follow', file],
  query: (file) => ['query', 'the', file],
  search: (file) => ['search', 'the', file],
  stats: (file) => ['stats', file],
  cost: (file) => ['cost', file],
  timeline: (file) => ['timeline', file],
  tools: (file) => ['tools', file],
  compare: (file) => ['compare', file, file],
  check: undefined,
  replay: undefined,
  serve: undefined,
  blame: undefined,
  explain: undefined,
  verify: undefined,
  export: (file) => ['export', file],
  import: (file) => ['import', file],
  watch: undefined,
  push: undefined,
  mcp: undefined,
  record: undefined,
  run: undefined,
  completion: undefined,
};

/** There a process cannot be interrupted by another. */
const isWindows = process.platform === 'win32';

/** The commands that read a file and end by themselves. */
const readers = commands.flatMap(({ name, options }) => {
  const words = name === 'follow' ? undefined : reading[name];
  const hasJson = options.some((option) => option.name === 'json');
  return words ? [{ name, words, hasJson }] : [];
});
/** Those of them that also read standard input. */
const streamed = readers.filter(({ name }) => name !== 'import');

const KEY = `sk-ant-api03-${'aB3'.repeat(31)}AA`;
const HUGE_MESSAGES = 5_000;
const LONG_TEXT = 1_000_000;

const call = { id: 'c', type: 'function', function: { name: 'look', arguments: '{"at":"the shelf"}' } };
const good = [
  { role: 'user', content: 'Where is the flour?' },
  { role: 'assistant', content: '', tool_calls: [call] },
  { role: 'tool', tool_call_id: 'c', content: 'the flour' },
  { role: 'assistant', content: 'On the shelf.' },
]
  .map((message) => `${JSON.stringify(message)}\n`)
  .join('');
const nasty = `\u001b]0;owned\u0007\u001b[2J\u202egnp.exe \u009b31m\r the ${KEY} \ud800`;
const hostile = [
  JSON.stringify({ role: 'user', content: nasty }),
  '{"role":"assistant","content":"the","__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
  `{"role":"user","content":"the ${'x'.repeat(LONG_TEXT)}"}`,
  JSON.stringify({
    role: 'assistant',
    content: 'the',
    tool_calls: [{ id: nasty, type: 'function', function: { name: nasty, arguments: '{"a":' } }],
  }),
  JSON.stringify({ role: 'tool', tool_call_id: nasty, content: '$(touch owned) `touch owned`' }),
].join('\n');

const files = {
  'good.jsonl': good,
  'empty.jsonl': '',
  'blank.jsonl': '\n \n',
  'words.jsonl': 'Milk, eggs\nflour',
  'bytes.jsonl': '\0\u0001\u0002PK\u0003\u0004'.repeat(500),
  'cut.jsonl': `${messageLines(['user', 'the flour'])}{"role":"user","content":"cut of`,
  'deep.jsonl': `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
  'hostile.jsonl': hostile,
  'huge.jsonl':
    good +
    messageLines(
      ...Array.from(
        { length: HUGE_MESSAGES },
        (_, at) => [at % 2 === 0 ? 'user' : 'assistant', `${at}: the flour is on the shelf`] as const,
      ),
    ),
} as const;

let cwd = '';

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'logbook-every-'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, name), text);
});

afterAll(() => rm(cwd, { recursive: true, force: true }));

/** What a terminal would obey, or nobody sees. */
const UNSEEN = /[\0-\x08\x0b-\x1f\x7f-\x9f\u202e]/;

test('every command stands here', () => {
  expect(Object.keys(reading).sort()).toEqual(commands.map(({ name }) => name).sort());
});

describe.each(readers)('$name', ({ words, hasJson }) => {
  test('of a good file gives an answer and no complaint', async () => {
    const { code, out, err } = await agentLogbook(words('good.jsonl'), { cwd });
    expect(code).toBe(0);
    expect(out + err).not.toBe('');
    expect(err).not.toContain('cannot');
  });

  test.each(['empty.jsonl', 'blank.jsonl', 'words.jsonl', 'bytes.jsonl', 'deep.jsonl', 'gone.jsonl'])(
    'of %s says on one line what is wrong with it',
    async (file) => {
      const { code, out, err } = await agentLogbook(words(file), { cwd });
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toContain(file);
      expect(err).toMatch(/^(?:agent-logbook: [^\n]+\n)+$/);
      expect(err).not.toMatch(UNSEEN);
    },
  );

  test('of a file that is cut off reads what is whole and tells the rest', async () => {
    const { code, err } = await agentLogbook(words('cut.jsonl'), { cwd });
    // What is stored is stored again as the file grows.
    const isImport = words('')[0] === 'import';
    expect(code).toBe(isImport ? 0 : 1);
    expect(err).toMatch(isImport ? /cut\.jsonl: its last line is not whole yet/ : /cut\.jsonl: .*line 2/);
  });

  test('of a hostile file shows nothing that a terminal obeys, and no secret', async () => {
    const { code, out, err } = await agentLogbook(words('hostile.jsonl'), {
      cwd,
      columns: 100,
      env: { NO_COLOR: '1' },
    });
    expect([0, 1]).toContain(code);
    expect(out + err).not.toMatch(UNSEEN);
    expect(out + err).not.toContain('aB3aB3');
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(await readdir(cwd)).not.toContain('owned');
  });

  test.runIf(hasJson).each(['good.jsonl', 'hostile.jsonl', 'huge.jsonl'])(
    'of %s writes for programs a line of JSON for each thing',
    async (file) => {
      const { out } = await agentLogbook([...words(file), '--json'], { cwd });
      const lines = out.split('\n').slice(0, -1);
      expect(lines.length).toBeGreaterThan(0);
      for (const line of lines)
        expect(JSON.parse(line)).toMatchObject({ v: 1, kind: expect.any(String) as unknown });
      expect(out).not.toMatch(/[\0-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
      expect(out).not.toContain('aB3aB3');
    },
  );
});

/** How many commands are driven in processes of their own: what each of them does is one place for all. */
const FEW = 3;

describe('the built program', () => {
  const program = builtCommandLine();

  function started(args: readonly string[], stdout: 'pipe' | number = 'pipe'): ChildProcess {
    return spawn(process.execPath, [program(), ...args], { cwd, stdio: ['pipe', stdout, 'pipe'] });
  }

  /** Resolves with what it ended with and what it complained of. */
  async function ended(child: ChildProcess): Promise<{ code: number | null; err: string }> {
    let err = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (err += text));
    return await new Promise((resolve, reject) => {
      child.once('error', reject).once('close', (code) => resolve({ code, err }));
    });
  }

  test.each(someOf(readers, FEW))('$name ends quietly where nobody reads on', async ({ words }) => {
    const child = started(words('huge.jsonl'));
    // As head does, which closes its end of the pipe once it has enough.
    child.stdout?.once('data', () => child.stdout?.destroy());
    const { code, err } = await ended(child);
    expect(code).toBe(0);
    expect(err).not.toMatch(/EPIPE|Error|cannot/);
  });

  test.runIf(existsSync('/dev/full')).each(someOf(streamed, FEW))(
    '$name says that the disk is full',
    async ({ words, hasJson }) => {
      const full = openSync('/dev/full', 'w');
      const child = started([...words('good.jsonl'), ...(hasJson ? ['--json'] : [])], full);
      closeSync(full);
      const { code, err } = await ended(child);
      expect({ code, err }).toEqual({
        code: 2,
        err: 'agent-logbook: What was found could not be written: the disk is full.\n',
      });
    },
  );

  test.skipIf(isWindows).each(someOf(streamed, FEW))(
    '$name is interrupted while it waits for its input, and ends with 130',
    async ({ words }) => {
      const child = started(words('-'));
      child.stdin?.on('error', () => undefined);
      // It takes all of this only while it reads, so that it has begun to when the rest has been taken.
      await new Promise<void>((resolve, reject) =>
        child.stdin?.write(files['huge.jsonl'], (error) => (error ? reject(error) : resolve())),
      );
      child.kill('SIGINT');
      const { code, err } = await ended(child);
      expect({ code, err }).toEqual({ code: 130, err: '' });
    },
  );

  test.skipIf(isWindows)(
    'what is written to a file, which takes it at once, is interrupted too',
    async () => {
      const line = (at: number) =>
        JSON.stringify({
          role: at % 2 === 0 ? 'user' : 'assistant',
          content: `${at} ${'word '.repeat(400)}`,
        });
      await writeFile(
        join(cwd, 'long.jsonl'),
        Array.from({ length: 4_000 }, (_, at) => `${line(at)}\n`).join(''),
      );
      const path = join(cwd, 'shown.txt');
      const shown = openSync(path, 'w');
      const child = started(['show', 'long.jsonl'], shown);
      closeSync(shown);
      const end = ended(child);
      await expect
        .poll(async () => (await stat(path)).size, { interval: 5, timeout: 60_000 })
        .toBeGreaterThan(0);
      child.kill('SIGINT');
      expect(await end).toEqual({ code: 130, err: '' });
    },
  );

  test.skipIf(isWindows)('follow goes on until it is interrupted, and ends with 130', async () => {
    const child = started(['follow', 'good.jsonl']);
    child.stdout?.once('data', () => child.kill('SIGINT'));
    expect(await ended(child)).toEqual({ code: 130, err: '' });
  });
});
