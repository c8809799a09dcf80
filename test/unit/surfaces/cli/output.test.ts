import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { query } from '../../../../src/app/transcripts/queryTranscripts.js';
import { fileSessions } from '../../../../src/app/sources/fileSessions.js';
import {
  agentLogbook,
  bakery,
  folderWith,
  messageLines,
  workspaceWith,
} from '../../../support/commandLine.js';
import { ROW_KINDS } from '../../../../src/query/language/syntax.js';
import { largeStory } from '../../../support/largeStory.js';
import { StoredTranscript } from '../../../../src/store/read/storedTranscript.js';
import { MemoryTranscript } from '../../../support/memoryTranscript.js';
import { STORY_START, StoryTeller } from '../../../support/storyTeller.js';
import { commands } from '../../../../src/surfaces/cli/commands.js';
import { Output } from '../../../../src/surfaces/cli/output.js';
import type { Terminal } from '../../../../src/surfaces/cli/terminal.js';
import { widthOf } from '../../../../src/surfaces/cli/styles.js';

const KEY = `sk-ant-api03-${'aB3'.repeat(31)}AA`;

async function bakeryFolder(): Promise<string> {
  return workspaceWith(bakery());
}

test('half a character in a text is none that a strict reader of JSON refuses, and nothing else changes', async () => {
  const text = 'a \ud83d b \udc4d \u{1f44d} C:\\\\ud83d \\\\\ud800';
  const cwd = await folderWith({ 'a.jsonl': messageLines(['user', text]) });
  const { out } = await agentLogbook(['show', 'a.jsonl', '--json'], { cwd });
  expect(out).not.toMatch(/(?<!\\)(?:\\\\)*\\ud[89a-f]/);
  expect(out).toContain(
    JSON.stringify('a \ufffd b \ufffd \u{1f44d} C:\\\\ud83d \\\\\ufffd')
      .slice(1, -1)
      .replaceAll('\ufffd', '\\ufffd'),
  );
});

describe('secrets', () => {
  const secret = messageLines(['user', `My key is ${KEY}, use it`], ['assistant', 'I use it']);

  test.each([
    ['show', 'a.jsonl'],
    ['show', 'a.jsonl', '--json'],
    ['list', 'a.jsonl'],
    ['list', 'a.jsonl', '--json'],
    ['query', 'key', 'a.jsonl'],
    ['query', 'key', 'a.jsonl', '--json'],
    ['search', 'key', 'a.jsonl'],
    ['search', 'key', 'a.jsonl', '--json'],
  ])('are replaced in what %s %s writes, unless it is raw', async (...args) => {
    const cwd = await folderWith({ 'a.jsonl': secret });
    const { out } = await agentLogbook(args, { cwd });
    expect(out).not.toContain('sk-ant');
    // A title is not cut within such a word, and is no longer than what it may be.
    expect(out).toContain(args[0] === 'list' ? 'My key is...' : '[REDACTED:model-key]');
    const raw = await agentLogbook([...args, '--raw'], { cwd, env: { COLUMNS: '400' } });
    expect(raw.out).toContain(args[0] === 'list' ? 'My key is...' : KEY);
  });

  test.each([['show'], ['query', 'TOK'], ['search', 'TOK']])(
    'are replaced in what %s %s writes, where a colour cuts them',
    async (...words) => {
      const body = 'aB3dE5gH7jK9mN1pQ2sT4vW6yZ8cF0hJxLnR';
      const grep = `TOK \u001b[01;31m\u001b[Kghp_\u001b[m\u001b[K${body}`;
      const cwd = await folderWith({ 'a.jsonl': messageLines(['user', 'Look'], ['assistant', grep]) });
      const { out } = await agentLogbook([...words, 'a.jsonl'], { cwd });
      expect(out).toContain('[REDACTED:github-token]');
      expect(out).not.toContain(body.slice(0, 12));
    },
  );

  test('do not escape where an excerpt would cut them', async () => {
    const cwd = await folderWith({ 'a.jsonl': messageLines(['user', `${KEY} ${'x '.repeat(10)}needle`]) });
    const { out } = await agentLogbook(['query', 'needle', 'a.jsonl', '--json'], { cwd });
    expect(out).not.toMatch(/aB3aB3/);
  });
});

describe('a policy for sharing', () => {
  const policy = {
    names: ['Anna'],
    patterns: [{ name: 'ticket', pattern: 'PROJ-[0-9]+' }],
    leaveIn: ['model-key'],
  };
  const said = messageLines(['user', `Anna and anna know ${KEY} of PROJ-12`], ['assistant', 'Anna does']);

  test('leaves out what it names, and leaves in what it says', async () => {
    const cwd = await folderWith({ 'a.jsonl': said, 'policy.json': JSON.stringify(policy) });
    const shown = await agentLogbook(['show', 'a.jsonl', '--policy', 'policy.json'], { cwd });
    expect(shown.out).toContain(`[REDACTED:name] and [REDACTED:name] know ${KEY} of [REDACTED:ticket]`);
    const { out, err } = await agentLogbook(['export', 'a.jsonl', '--policy', 'policy.json'], { cwd });
    expect(out.replaceAll('\\', '')).toContain(
      `[REDACTED:name:1] and [REDACTED:name:1] know ${KEY} of [REDACTED:ticket:1]`,
    );
    expect(err).toMatch(
      /\d+ secrets replaced \(--raw leaves them\), \d+ secrets? left in \(as the policy says\)/,
    );
  });

  test.each([
    ['{"name":["Anna"]}', 'name is no field of a policy for sharing. There are: names, patterns'],
    ['{"patterns":[{"name":"x","pattern":"("}]}', "'x' is no pattern of RE2"],
    ['{"names":["Al"]}', "'Al' is too short"],
    ['{"names":"Anna"}', 'names: a list of texts belongs here'],
    ['{', 'policy.json is no policy for sharing'],
  ])('that cannot be followed is refused before anything is written: %s', async (text, words) => {
    const cwd = await folderWith({ 'a.jsonl': said, 'policy.json': text });
    const { out, err, code } = await agentLogbook(['show', 'a.jsonl', '--policy', 'policy.json'], { cwd });
    expect([out, code]).toEqual(['', 2]);
    expect(err).toContain(words);
  });
});

describe('what a transcript holds commands no terminal', () => {
  const evil = messageLines(['user', '\u001b]0;owned\u0007\u001b[2J\u202egnp.exe \u009b31m\r overwritten']);

  test.each([
    ['show', 'a.jsonl'],
    ['show', 'a.jsonl', '--json'],
    ['list', 'a.jsonl'],
    ['query', 'exe', 'a.jsonl'],
    ['query', 'exe', 'a.jsonl', '--json'],
    ['search', 'exe', 'a.jsonl'],
  ])('%s %s', async (...args) => {
    const cwd = await folderWith({ 'a.jsonl': evil });
    const { out, err } = await agentLogbook(args, { cwd, columns: 120, env: { NO_COLOR: '1' } });
    expect(out).toContain('exe');
    expect(out + err).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u202e]/);
  });

  test('nor does the name of a file', async () => {
    const { err } = await agentLogbook(['show', 'a\u001b[2Jb.jsonl']);
    expect(err).not.toContain('\u001b');
  });
});

describe('for people', () => {
  test('what a model thinks is shown, and of pictures what they are', async () => {
    const image = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' },
    };
    const lines = [
      ['user', [{ type: 'text', text: 'What is this?' }, image]],
      [
        'assistant',
        [
          { type: 'thinking', thinking: 'It looks burnt.' },
          { type: 'text', text: 'A cake.' },
        ],
      ],
    ].map(([role, content], at) =>
      JSON.stringify({ type: role, uuid: `u${at}`, sessionId: 's', message: { role, content } }),
    );
    const cwd = await folderWith({ 'a.jsonl': `${lines.join('\n')}\n` });
    const { out } = await agentLogbook(['show', 'a.jsonl'], { cwd });
    expect(out).toContain('  What is this?\n  picture: image/png, 8 bytes\n');
    expect(out).toContain('  thinks:\n    It looks burnt.\n  A cake.\n');
  });

  test('a session is shown with its agents, calls, results and failures', async () => {
    const { out } = await agentLogbook(['show'], { cwd: await bakeryFolder() });
    expect(out).toContain('Why are the cookies so small?');
    expect(out).toContain('Baker, Fixer');
    expect(out).toMatch(/#2 user · Baker/);
    expect(out).toContain('→ read_file src/scale.ts');
    expect(out).toMatch(/tool edit_file failed/);
    expect(out).toContain('Baker asks Fixer');
    expect(out).toContain('Baker finished');
  });

  test('a call is told with what it is for and what came of it, one that was denied as nothing that failed', async () => {
    const story = new StoryTeller();
    const baker = story.run('Baker', 'Test it');
    baker.useTool('Bash', { command: 'npm test', description: 'Run the tests' }, 'Exit code 2\nno', {
      isError: true,
    });
    baker.useTool('Read', { file_path: 'a.ts' }, 'one\ntwo');
    const call = baker.toolCall('Bash', { command: 'rm -rf build' });
    baker.say(null, 5, [call]);
    baker.add({
      type: 'approval',
      toolName: '',
      subject: '',
      toolCallId: call.id,
      decision: 'denied',
      decidedBy: 'user',
      waitedMs: 0,
    });
    baker.answer(call, 'No.', 5, false, 'denied');
    const cwd = await workspaceWith(story);
    const { out } = await agentLogbook(['show'], { cwd });
    expect(out).toContain('→ Bash npm test\n    Run the tests\n');
    expect(out).toMatch(/tool Bash failed · Baker · .*exit 2/);
    expect(out).toMatch(/tool Read · Baker · .*2 lines/);
    expect(out).toContain('– The call was denied by a person');
    expect(out).toMatch(/tool Bash denied · /);
    expect(out).not.toMatch(/rm -rf build[^]*failed/);
  });

  test('there are colours on a terminal only, and not with NO_COLOR', async () => {
    const cwd = await bakeryFolder();
    const colours = async (args: readonly string[], columns?: number, env = {}) =>
      (
        await agentLogbook(['list', ...args], { cwd, env, ...(columns !== undefined && { columns }) })
      ).out.includes('\u001b[');
    expect(await colours([], 80)).toBe(true);
    expect(await colours([])).toBe(false);
    expect(await colours([], 80, { NO_COLOR: '1' })).toBe(false);
    expect(await colours([], 80, { NO_COLOR: '' })).toBe(true);
    expect(await colours([], 80, { TERM: 'dumb' })).toBe(false);
    expect(await colours(['--color', 'always'])).toBe(true);
    expect(await colours(['--color', 'never'], 80)).toBe(false);
  });

  test.each([40, 60, 100])('lists and matches fit into %i columns', async (columns) => {
    const story = bakery();
    story.run('Baker', '烤饼干'.repeat(60)).say('🍪 '.repeat(200));
    const cwd = await workspaceWith(story);
    for (const args of [['list'], ['query', 'is:error'], ['query', '🍪']]) {
      const { out } = await agentLogbook(args, { cwd, columns, env: { NO_COLOR: '1' } });
      const wide = out
        .split('\n')
        .filter((line) => cellsOf(line) > Math.max(columns, args[0] === 'list' ? 0 : 60));
      expect(wide).toEqual([]);
    }
  });

  test('long texts are cut, which is said, and whole with --full', async () => {
    const cwd = await folderWith({ 'a.jsonl': messageLines(['user', 'line\n'.repeat(500)]) });
    const cut = await agentLogbook(['show', 'a.jsonl'], { cwd });
    expect(cut.out).toContain('440 more lines; --full shows them');
    const whole = await agentLogbook(['show', 'a.jsonl', '--full'], { cwd });
    expect(whole.out.match(/^ {2}line$/gm)).toHaveLength(500);
  });

  test('a session is shown from the message on that a link names', async () => {
    const cwd = await bakeryFolder();
    const told = async (...args: string[]) =>
      (await agentLogbook(['show', '--json', ...args], { cwd })).json.map(
        (line) => (line as { record: { id: string } }).record.id,
      );
    const all = await told('--first', '1000');
    const third = all[2] ?? '';
    expect(await told('--at', third)).toEqual(all.slice(2));
    expect(await told('--at', third, '--first', '2')).toEqual(all.slice(2, 4));
    expect((await agentLogbook(['show', '--at', 'nothing'], { cwd })).err).toContain(
      'No message of this session has the id nothing.',
    );
  });

  test('of a long one the ends are read, and what lies between is not', async () => {
    const cwd = await workspaceWith(largeStory(1_500));
    const read = vi.spyOn(StoredTranscript.prototype, 'read');
    const told = async (...args: string[]) =>
      (await agentLogbook(['show', '--json', ...args], { cwd })).json.map(
        (line) => (line as { position: number }).position,
      );
    const all = await told('--first', '5000');
    expect(all.length).toBeGreaterThan(1_499);
    for (const [first, last] of [
      [3, 0],
      [0, 3],
      [3, 3],
      [199, 202],
      [700, 900],
      [1, all.length],
    ] as const) {
      const args = [
        ...(first > 0 ? ['--first', `${first}`] : []),
        ...(last > 0 ? ['--last', `${last}`] : []),
      ];
      read.mockClear();
      const end = all.slice(Math.max(first, all.length - last));
      expect(await told(...args)).toEqual([...all.slice(0, first), ...end]);
      const records = read.mock.calls.reduce((sum, [from, to]) => sum + (to - from), 0);
      // Each page once to find the messages, and again to show them.
      expect(records).toBeLessThan(4 * (first + last) + 2_000);
    }
    read.mockRestore();
  });

  test('what all of it comes to stands below it, and not below a part of it', async () => {
    const cwd = await bakeryFolder();
    const { out } = await agentLogbook(['show'], { cwd });
    expect(out.trimEnd().split('\n').at(-1)).toMatch(/^Baker, Fixer · .* · \d+ messages · /);
    expect((await agentLogbook(['show', '--last', '1'], { cwd })).out).not.toContain('Baker, Fixer');
  });

  test('the first, the last and the matching messages can be asked for', async () => {
    const cwd = await bakeryFolder();
    const seqs = async (...args: string[]) =>
      [...(await agentLogbook(['show', ...args], { cwd })).out.matchAll(/^#(\d+)/gm)].map(([, seq]) =>
        Number(seq),
      );
    const all = await seqs();
    expect(await seqs('--first', '2')).toEqual(all.slice(0, 2));
    expect(await seqs('--last', '2')).toEqual(all.slice(-2));
    expect(await seqs('--where', 'role:user')).toEqual([2, expect.any(Number)]);
    expect(await seqs('--where', 'role:user', '--last', '1')).toEqual(
      (await seqs('--where', 'role:user')).slice(1),
    );
    expect(await seqs('--where', 'nothing-like-this')).toEqual([]);
  });
});

/** A rough width: wide characters count twice. */
function cellsOf(line: string): number {
  const wide = line.match(/[\u4e00-\u9fff\u{1f300}-\u{1faff}]/gu)?.length ?? 0;
  return Array.from(line).length + wide;
}

describe('for programs', () => {
  test('each line is an object with its version and kind', async () => {
    const cwd = await bakeryFolder();
    const kinds = async (...args: string[]) =>
      (await agentLogbook([...args, '--json'], { cwd })).json.map(({ v, kind }) => [v, kind]);
    expect(await kinds('list')).toEqual([[1, 'session']]);
    expect(new Set((await kinds('show')).map(String))).toEqual(new Set(['1,record']));
    expect(await kinds('query', 'is:error', '--count')).toEqual([[1, 'count']]);
    expect(await kinds('search', 'is:error')).toEqual([
      [1, 'group'],
      [1, 'totals'],
    ]);
  });

  test('a row says where it stands and what matches in it', async () => {
    const { json } = await agentLogbook(['query', 'small role:user', '--json'], {
      cwd: await bakeryFolder(),
    });
    expect(json).toEqual([
      {
        v: 1,
        kind: 'row',
        session: '20261121-093015-5f0c2a9e',
        rows: 'messages',

        position: 1,
        seq: 2,
        time: STORY_START,
        agent: 'Baker',
        role: 'user',
        tools: [],
        isError: false,
        text: 'Why are the cookies so small?',
        marks: [[23, 28]],
        isCut: false,
        why: ['role:user'],
      },
    ]);
  });

  test('nothing but JSON stands on standard output, whatever has to be told', async () => {
    const cwd = await folderWith({ 'a.jsonl': `${messageLines(['user', 'Hello'])}{"broken` });
    const { json, err } = await agentLogbook(['query', 'hello', 'a.jsonl', 'gone.jsonl', '--json'], { cwd });
    expect(json).toHaveLength(1);
    expect(err).toContain('gone.jsonl');
  });
});

describe('the end', () => {
  const cases: readonly (readonly [readonly string[], number])[] = [
    [['query', 'cookies'], 0],
    [['query', 'unicorns'], 0],
    [['query', 'cookies', '--fail-on-match'], 1],
    [['query', 'unicorns', '--fail-on-match'], 0],
    [['query', 'cookies', '--fail-if-none'], 0],
    [['query', 'unicorns', '--fail-if-none'], 1],
    [['query', 'unicorns', '--fail-if-none', '--count'], 1],
    [['query', 'cookies', '--fail-on-match', '--count'], 1],
    [['query', 'cookies', '--fail-on-match', '--limit', '0'], 1],
    [['search', 'cookies', '--fail-on-match'], 1],
    [['search', 'unicorns', '--fail-if-none'], 1],
    [['search', 'unicorns'], 0],
  ];
  test.each(cases)('of %j is %i', async (args, code) => {
    expect((await agentLogbook(args, { cwd: await bakeryFolder() })).code).toBe(code);
  });

  test('is quiet where nobody reads on', async () => {
    const cwd = await folderWith({ 'a.jsonl': messageLines(...manyMessages()) });
    for (const args of [
      ['show', 'a.jsonl', '--full'],
      ['query', 'word', 'a.jsonl'],
    ]) {
      const { code, err } = await agentLogbook(args, { cwd, writes: { of: 1, then: 'closed' } });
      expect({ code, err }).toEqual({ code: 0, err: '' });
    }
  });

  test('is still 1 where something matched that should not and nobody reads on', async () => {
    const cwd = await folderWith({ 'a.jsonl': messageLines(...manyMessages()) });
    const writes = { of: 0, then: 'closed' } as const;
    const { code } = await agentLogbook(['query', 'word', 'a.jsonl', '--fail-on-match'], { cwd, writes });
    expect(code).toBe(1);
  });

  test('is 2 with a sentence where the disk is full', async () => {
    const cwd = await folderWith({ 'a.jsonl': messageLines(['user', 'Hello']) });
    const { code, err } = await agentLogbook(['show', 'a.jsonl'], { cwd, writes: { of: 0, then: 'full' } });
    expect({ code, err }).toEqual({
      code: 2,
      err: 'agent-logbook: What was found could not be written: the disk is full.\n',
    });
  });

  test('is 130 where the person interrupts', async () => {
    const { code, err } = await agentLogbook(['list'], {
      cwd: await bakeryFolder(),
      signal: AbortSignal.abort(new Error('Interrupted.')),
    });
    expect({ code, err }).toEqual({ code: 130, err: '' });
  });
});

function manyMessages(): (readonly [string, string])[] {
  return Array.from({ length: 500 }, (_, at) => ['user', `word ${at} ${'y'.repeat(200)}`] as const);
}

const QUESTIONS = [
  'role:user',
  'is:error',
  'tool:read_file',
  '"scale"',
  'agent:Fixer',
  '-role:tool',
  'duration:>60ms',
  'tool:edit_file after tool:read_file',
];

test.each(QUESTIONS)(
  'the question %s has the answer that programs get, whatever is asked for',
  async (text) => {
    const story = bakery();
    const cwd = await workspaceWith(story);
    for (const rows of ROW_KINDS) {
      const transcript = new MemoryTranscript(story.conversation, story.records);
      const asked = await query([transcript], text, { rows, now: STORY_START, timeZone: 'UTC' });
      const { json, code } = await agentLogbook(['query', '--rows', rows, '--json', '--', text], { cwd });
      const placeOf = (row: object) =>
        'seq' in row ? row.seq : 'firstSeq' in row ? row.firstSeq : undefined;
      expect([rows, code === 2 ? 'refused' : json.map(placeOf)]).toEqual([
        rows,
        asked.ok ? asked.found.map(placeOf) : 'refused',
      ]);
    }
  },
);

test.each(['hello', 'role:assistant', '-hello'])('so it has for files: %s', async (text) => {
  const said = messageLines(['user', 'Hello'], ['assistant', 'Hello, you'], ['user', 'Good day']);
  const cwd = await folderWith({ 'a.jsonl': said });
  const reading = { signal: new AbortController().signal, onProblem: () => undefined };
  for await (const session of fileSessions(join(cwd, 'a.jsonl'), 'a.jsonl', reading)) {
    const asked = await query([await session.open()], text, { now: STORY_START, timeZone: 'UTC' });
    const { json } = await agentLogbook(['query', '--json', '--', text, 'a.jsonl'], { cwd });
    const found = asked.ok ? asked.found.map((row) => 'position' in row && row.position) : [];
    expect(found.length).toBeGreaterThan(0);
    expect(json.map(({ position }) => position)).toEqual(found);
  }
});

test.each([20, 40, 60])('no line for people is wider than a terminal of %i columns', async (columns) => {
  const cwd = await workspaceWith(bakery('20261121-a'), bakery('20261121-b'));
  for (const args of [
    ['list'],
    ['stats'],
    ['cost'],
    ['tools'],
    ['search', 'cookies'],
    ['timeline', 'latest'],
  ]) {
    const { out, code } = await agentLogbook(args, { cwd, columns });
    expect(code, args.join(' ')).toBe(0);
    const wide = out.split('\n').filter((line) => widthOf(line.replace(/\u001b\[[0-9;]*m/g, '')) > columns);
    expect(wide, args.join(' ')).toEqual([]);
  }
});

test.each([20, 40])(
  'no sentence beside the answer, and no help, is wider than %i columns',
  async (columns) => {
    const cwd = await workspaceWith(bakery());
    const notes: string[] = [];
    for (const args of [
      ['--help'],
      ...commands.map(({ name }) => [name, '--help']),
      ['--hepl'],
      ['shwo', 'latest'],
      ['show', 'no such file.jsonl'],
      ['list', '--limit', 'many'],
      ['query', 'no such word anywhere in it'],
    ]) {
      const ran = await agentLogbook(args, { cwd, columns, columnsBeside: columns });
      const wide = `${ran.out}${ran.err}`.split('\n').filter((line) => widthOf(line) > columns);
      expect(wide, args.join(' ')).toEqual([]);
      notes.push(ran.err);
      // Who reads a pipe gets each sentence on one line.
      expect((await agentLogbook(args, { cwd })).err.split('\n').length).toBeLessThanOrEqual(2);
    }
    expect(notes.filter((note) => note !== '').length).toBeGreaterThan(3);
  },
);

test('what is being done is told on one line of the terminal, which is taken back', async () => {
  const told: string[] = [];
  const terminal = { out: sink(undefined, []), err: sink(20, told), env: {} };
  const out = new Output(terminal as unknown as Terminal, { json: false, raw: false, color: 'auto' });
  out.progress('Reading a file with a very long name.jsonl');
  expect(told.map((text) => widthOf(text.replace(/\r\u001b\[K/, '')))).toEqual([19]);
});

function sink(columns: number | undefined, texts: string[]) {
  const write = (text: string) => Promise.resolve(void texts.push(text));
  return { isTerminal: columns !== undefined, columns, write };
}
