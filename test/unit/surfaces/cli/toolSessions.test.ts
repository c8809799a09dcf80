import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { idOfSession } from '../../../../src/app/sources/toolSessions.js';
import { TOOL_IDS } from '../../../../src/import/toolHomes.js';
import { agentLogbook, messageLines, type Ran } from '../../../support/commandLine.js';
import { claudeSession, sessionsOfTools, writeAt } from '../../../support/sessionHome.js';
import { soon } from '../../../support/soon.js';
import { temporaryFolder } from '../../../support/storeFixture.js';
import { STORY_START } from '../../../support/storyTeller.js';
import { treeSnapshot } from '../../../support/treeSnapshot.js';

const HOUR = 3_600_000;
/** When the newest of the sessions was written to, in milliseconds since 1970; each before it an hour earlier. */
const NEWEST = STORY_START - HOUR;
const CODEX = '22222222-2222-2222-2222-222222222222';

/** A home with a session of each tool, the tools in the order of the table from the newest on. */
async function homeWithSessions(): Promise<string> {
  const home = await temporaryFolder();
  for (const [at, tool] of TOOL_IDS.entries()) await writeAt(home, sessionsOfTools[tool], NEWEST - at * HOUR);
  return home;
}

function at(home: string, ...args: readonly string[]): Promise<Ran> {
  return agentLogbook(args, { cwd: home, env: { HOME: home } });
}

test('the sessions of all tools are listed, the newest first, by what their files tell at both ends', async () => {
  const home = await homeWithSessions();
  const { code, out, json } = await at(home, 'list', '--from', 'all', '--json');
  expect(code).toBe(0);
  expect(json.map(({ source }) => source)).toEqual([...TOOL_IDS]);
  expect(json[1]).toMatchObject({
    kind: 'found',
    session: CODEX,
    title: 'Grind the corn',
    project: '/home/me/mill',
    model: 'gpt-5.5',
    messages: 2,
    messagesEstimated: false,
    state: 'finished',
    isLive: false,
    knownFrom: 'silence',
    changed: NEWEST - HOUR,
  });
  expect(out).toContain('"title":"Milk the cow"');
  const people = await at(home, 'list', '--from', 'codex');
  expect(people.out).toMatch(/^ID +CHANGED +STATE +MESSAGES +TITLE\n/);
  expect(people.out).toContain('Grind the corn (Codex)');
  expect(people.out).not.toContain('Bake a cake');
});

test('those that are live are listed, who waits first, and what each is at', async () => {
  const home = await temporaryFolder();
  const now = new Date(STORY_START).toISOString();
  const line = (value: object) => `${JSON.stringify({ timestamp: now, ...value })}\n`;
  const event = (type: string, data: object) => line({ type, data });
  const call = { type: 'tool_use', id: 't', name: 'Bash', input: { command: 'npm test' } };
  await writeAt(home, sessionsOfTools.codex, NEWEST - HOUR);
  await writeAt(
    home,
    {
      '.claude/projects/-w/1.jsonl':
        line({ type: 'user', message: { role: 'user', content: 'Test it' } }) +
        line({ type: 'assistant', message: { id: 'm', stop_reason: 'tool_use', content: [call] } }),
      '.copilot/session-state/333/events.jsonl':
        event('user.message', { content: 'Push it' }) +
        event('permission.requested', {
          requestId: 'r',
          permissionRequest: { fullCommandText: 'git push' },
        }),
    },
    STORY_START,
  );
  const { json, code } = await at(home, 'list', '--live', '--from', 'all', '--json');
  expect(code).toBe(0);
  expect(json).toMatchObject([
    { source: 'copilot-cli', state: 'waiting', reason: 'approval', words: 'git push', knownFrom: 'record' },
    { source: 'claude-code', state: 'working', tool: 'Bash', command: 'npm test', title: 'Test it' },
  ]);
  const people = await at(home, 'list', '--live', '--from', 'all');
  expect(people.out).toMatch(/^ID +STATE +SINCE +AT +TITLE\n/);
  expect(people.out).toMatch(/waits for your approval.* git push +Push it \(Copilot CLI\)/);
});

test('what is live is told again when it does something else, as a table or as lines', async () => {
  const home = await temporaryFolder();
  const path = '.claude/projects/-w/1.jsonl';
  const line = (value: object) =>
    `${JSON.stringify({ timestamp: new Date(STORY_START).toISOString(), ...value })}\n`;
  const prompt = line({ type: 'user', message: { role: 'user', content: 'Test it' } });
  const question = { type: 'tool_use', id: 'q', name: 'AskUserQuestion', input: {} };
  const asks = line({
    type: 'assistant',
    message: { id: 'm', stop_reason: 'tool_use', content: [question] },
  });
  const watched = async (...more: readonly string[]) => {
    await writeAt(home, { [path]: prompt }, STORY_START);
    const stop = new AbortController();
    let out = '';
    const running = agentLogbook(['watch', '--from', 'claude-code', ...more], {
      cwd: home,
      env: { HOME: home },
      columns: 100,
      signal: stop.signal,
      onWrite: (text) => (out += text),
    });
    await soon(() => expect(out).toContain('working'));
    await writeAt(home, { [path]: prompt + asks }, STORY_START + 1_000);
    await soon(() => expect(out).toContain('wait'));
    stop.abort();
    await running;
    return out;
  };
  expect(
    (await watched('--json'))
      .trim()
      .split('\n')
      .map((each) => JSON.parse(each) as unknown),
  ).toMatchObject([
    { kind: 'found', state: 'working' },
    { kind: 'found', state: 'waiting', reason: 'question' },
  ]);
  expect(await watched()).toMatch(
    /^\u001B\[2J\u001B\[H[^]*working[^]*\u001B\[2J\u001B\[H[^]*waits for your answer/,
  );
});

test('what is live is asked of tools, and somebody hears so who asks otherwise', async () => {
  const home = await temporaryFolder();
  const alone = await at(home, 'list', '--live');
  expect([alone.code, alone.err]).toEqual([2, expect.stringContaining('list --live --from all')]);
  const watching = await at(home, 'watch');
  expect([watching.code, watching.err]).toEqual([2, expect.stringContaining('watch --from all')]);
  const none = await at(home, 'list', '--live', '--from', 'all');
  expect(none.err).toContain('No session is live.');
});

test('a link is not followed, which is told, and nothing is lost by it', async () => {
  const home = await homeWithSessions();
  await symlink(home, join(home, '.claude/projects/-linked'));
  const { code, err } = await at(home, 'list', '--from', 'claude-code');
  expect(err).toContain('One link was not followed.');
  expect(code).toBe(0);
});

test('no more are read than are shown, and of the others it is told how many there are', async () => {
  const home = await homeWithSessions();
  const { out, err } = await at(home, 'list', '--from', 'all', '-n', '1');
  expect(out.trimEnd().split('\n')).toHaveLength(2);
  expect(err).toContain(`${TOOL_IDS.length - 1} more sessions; --limit shows more.`);
});

test('one is named by its id, the beginning of its id, or latest', async () => {
  const home = await homeWithSessions();
  for (const name of [CODEX, '2222', 'latest'])
    expect((await at(home, 'show', '--from', 'codex', name)).out).toContain('It is ground.');
  expect((await at(home, 'show', '--from', 'all')).out).toContain('Bake a cake');
  expect((await at(home, 'show', '--from', 'all', '77')).err).toContain(
    'No session of other tools is called 77; agent-logbook list --from all shows them.',
  );
  const several = await at(home, 'show', '--from', 'all', '1');
  expect(several).toMatchObject({ code: 2, out: '' });
  expect(several.err).toMatch(/2 sessions begin with 1, such as 1{8}-.* and 10; write more of the id\./);
});

test('one is named by what its tool calls it, where its file is called otherwise', async () => {
  const home = await temporaryFolder();
  const id = '0d1cbb2a-6b8e-4b3c-9d0e-000000000005';
  const messages = [{ id: 'a', type: 'user', content: 'Sow the corn' }];
  await writeAt(home, {
    '.gemini/tmp/field/chats/session-2026-01-01T10-00-0d1cbb2a.json': JSON.stringify({
      sessionId: id,
      messages,
    }),
  });
  for (const name of [id, '0d1cbb2a'])
    expect((await at(home, 'show', '--from', 'gemini-cli', name)).out).toContain('Sow the corn');
  expect((await at(home, 'show', '--from', 'gemini-cli', 'elsewhere')).err).toContain(
    'No session of Gemini CLI',
  );
});

test.each([
  ['zed', 'z1'],
  ['crush', 's1'],
  ['kiro', 'k1'],
  ['hermes', 'h1'],
  ['kilo', 'ses_k1'],
  ['mimo', 'ses_m1'],
  ['zcode', 'sess_z1'],
  ['amazon-q', 'q1'],
] as const)(
  'a session in the database of %s is listed, shown, found and imported by its id',
  async (tool, id) => {
    const home = await homeWithSessions();
    const { json } = await at(home, 'list', '--from', tool, '--json');
    expect(json).toMatchObject([{ session: id }]);
    expect((await at(home, 'show', '--from', tool, id)).out).toContain('It is broken.');
    expect((await at(home, 'search', 'broken', '--from', tool)).out).toContain('It is broken.');
    const imported = await at(home, 'import', `${Object.keys(sessionsOfTools[tool]).at(-1)}/${id}`);
    expect(imported.code).toBe(0);
    const stored = (...args: readonly string[]) => at(home, ...args, '--store', '.');
    expect((await stored('query', `session:${id}`)).out).toContain('It is broken.');
    expect((await stored('show', id)).out).toContain('It is broken.');
  },
);

test.each([
  [['show'], 'Grind the corn'],
  [['query', 'corn'], 'Grind the corn'],
  [['search', 'corn'], 'Grind the corn'],
  [['stats'], 'gpt-5.5'],
  [['cost'], 'gpt-5.5'],
  [['timeline'], 'Grind the corn'],
  [['export'], 'It is ground'],
])('%j reads the sessions of a tool where they are', async (args, words) => {
  const home = await homeWithSessions();
  const before = await treeSnapshot(home);
  const { code, out } = await at(home, ...args, '--from', 'codex');
  expect(code).toBe(0);
  expect(out).toContain(words);
  expect(out).not.toContain('Bake a cake');
  expect(await treeSnapshot(home)).toEqual(before);
});

test('one that cannot be read hides no other, and the end is 1', async () => {
  const home = await temporaryFolder();
  const [path = ''] = await writeAt(home, {
    '.claude/projects/a/1.jsonl': claudeSession('Bake a cake'),
    '.claude/projects/a/2.jsonl': claudeSession('Bake a tart'),
  });
  await writeFile(path, 'Milk, eggs');
  const { code, out, err } = await at(home, 'query', 'bake', '--from', 'claude-code');
  expect(code).toBe(1);
  expect(out).toContain('Bake a tart');
  expect(err).toContain('holds no conversation that could be read');
});

test('nothing of a tool is looked at that was not named, and a file is no id', async () => {
  const home = await homeWithSessions();
  await writeFile(join(home, 'a.jsonl'), messageLines(['user', 'Hello']));
  const file = await at(home, 'show', '--from', 'codex', 'a.jsonl');
  expect(file).toMatchObject({ code: 2, out: '' });
  expect(file.err).toContain('No session of Codex is called a.jsonl');
  const both = await at(home, 'list', '--from', 'codex', '--store', '.');
  expect(both).toMatchObject({ code: 2, out: '' });
  expect(both.err).toContain('name one of them');
});

test('a machine without sessions says so', async () => {
  const home = await temporaryFolder();
  expect((await at(home, 'list', '--from', 'codex')).code).toBe(0);
  expect((await at(home, 'show', '--from', 'codex')).err).toContain(
    'There are no sessions of Codex on this machine.',
  );
});

test.each([
  [`/c/sessions/2026/01/02/rollout-2026-01-02T03-04-05-${CODEX}.jsonl`, CODEX],
  ['/h/.copilot/session-state/333/events.jsonl', '333'],
  ['/h/tasks/9/ui_messages.json', '9'],
  [
    `/c/sessions/2026/01/02/rollout-2026-01-02T03-04-05-${CODEX}_33333333-3333-3333-3333-333333333333.jsonl.zst`,
    CODEX,
  ],
  ['/h/.gemini/tmp/field/chats/session-5.json', 'session-5'],
  ['/h/.local/share/opencode/opencode.db/ses_6', 'ses_6'],
])('the session at %s is called %s', (path, id) => {
  expect(idOfSession(path)).toBe(id);
});
