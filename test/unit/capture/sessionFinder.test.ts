import { appendFile, link, mkdir, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SessionFinder } from '../../../src/capture/discovery/sessionFinder.js';
import { importFile } from '../../../src/import/importFile.js';
import { formats } from '../../../src/import/tools.js';
import { aboutSession } from '../../../src/capture/discovery/sessionAbout.js';
import { toolHomes, TOOL_IDS, type ToolId } from '../../../src/import/toolHomes.js';
import type { Machine } from '../../../src/import/tools/home.js';
import { claudeSession, sessionsOfTools, writeAt, type FileContent } from '../../support/sessionHome.js';
import {
  BEGUN,
  CURSOR_SCHEMA,
  GOOSE_SCHEMA,
  OPEN_CODE_SCHEMA,
  OpenCodeWriter,
  writeCursorChat,
  writtenDatabase,
} from '../../support/sessionDatabases.js';
import { storedZstd } from '../../support/storedZstd.js';
import { temporaryFolder } from '../../support/storeFixture.js';

const machine = (home: string, rest: Partial<Machine> = {}): Machine => ({
  home,
  platform: 'linux',
  env: {},
  ...rest,
});
const asked = (id: ToolId, ...folders: string[]) => [{ id, folders }];

/** A home with sessions, and what is found in it. */
async function homeWith(files: Readonly<Record<string, FileContent>>, changed?: number) {
  const home = await temporaryFolder();
  const paths = await writeAt(home, files, changed);
  const finder = new SessionFinder(machine(home));
  const look = async (id: ToolId, since = 0) => {
    const [change] = await finder.changes(asked(id), since);
    if (!change) throw new Error('Nothing was told.');
    return { ...change, names: change.written.map(({ path }) => basename(path)).sort() };
  };
  return { home, paths, finder, look };
}

const project = '.claude/projects/-home-me-bakery';

test('what a tool says of the formats of its sessions is what its sessions are read as', async () => {
  const known = new Set(formats.map(({ name }) => name));
  for (const { id, formats: told = [] } of toolHomes) {
    expect(told.filter((name) => !known.has(name))).toEqual([]);
    if (told.length === 0) continue;
    const { look } = await homeWith(sessionsOfTools[id]);
    const { written } = await look(id);
    for (const { path } of written)
      expect([id, told]).toEqual([id, expect.arrayContaining([(await importFile(path)).format])]);
  }
});

describe('in the usual folders', () => {
  test.each([
    ['claude-code', 'Bake a cake', '/home/me/bakery', 'claude-opus-5', 2],
    ['codex', 'Grind the corn', '/home/me/mill', 'gpt-5.5', 2],
    ['copilot-cli', 'Open the shop', '/home/me/shop', 'claude-sonnet-4.6', 2],
    ['vscode-chat', 'Heat the oven', '/home/me/oven', 'gpt-5', 2],
    ['gemini-cli', 'Sow the corn', '/home/me/field', 'gemini-3-pro', 2],
    ['opencode', 'Clean the barn', '/home/me/barn', undefined, undefined],
    ['pi', 'Draw water', '/home/me/well', 'pi-1', 2],
    ['cursor', 'Load the cart', undefined, undefined, 2],
    ['cline', 'Milk the cow', '/home/me/stable', 'sonnet-5', 2],
    ['roo-code', 'Feed the hens', '/home/me/yard', 'sonnet-5', 2],
    ['goose', 'Count the fish', '/home/me/pond', undefined, 2],
    ['zed', 'Weigh the flour', '/home/me/scale', 'm-zed', 2],
    ['crush', 'Weigh the flour', '~', 'm-crush', 4],
    ['kiro', 'Weigh it', '/home/me/scale', 'm-kiro', 4],
    ['kilo', 'Weigh the flour', '/home/me/scale', 'm-kilo', 3],
    ['mimo', 'Weigh the flour', '/home/me/scale', 'm-mimo', 3],
    ['icodemate', 'Weigh the flour', '/home/me/scale', 'm-icodemate', 3],
    ['zcode', 'Weigh the flour', '/home/me/scale', 'm-zcode', 3],
    ['amazon-q', 'Weigh it', '/home/me/scale', 'm-kiro', 4],
    ['hermes', 'Weigh the flour', undefined, 'm-hermes', 4],
  ] as const)(
    'a session of %s has its title, folder, model and messages',
    async (id, title, folder, model, messages) => {
      const all = Object.assign({}, ...Object.values(sessionsOfTools)) as Record<string, FileContent>;
      const { home, finder, look } = await homeWith(all);
      const { written, problems } = await look(id);
      expect(problems).toEqual([]);
      expect(written).toHaveLength(1);
      const paths = written.map(({ path }) => path);
      const [about] = await finder.about(id, paths);
      expect(about).toMatchObject({ title, model, messages, isEstimated: false });
      expect(await finder.workspaces(id, paths)).toEqual([folder === '~' ? home : folder]);
    },
  );

  test('recordings are listed with what was asked', async () => {
    const home = await temporaryFolder();
    const request = {
      model: 'm-1',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Why?' },
      ],
    };
    const [path = ''] = await writeAt(home, {
      'recordings/x.exchanges.jsonl': `${JSON.stringify({ exchange: '1', startTime: 'x', request, response: null })}\n`,
    });
    const finder = new SessionFinder(machine(home, { recordings: join(home, 'recordings') }));
    const [change] = await finder.changes(asked('recordings'));
    expect(change?.written.map((file) => file.path)).toEqual([path]);
    const [about] = await finder.about('recordings', [path]);
    expect(about).toMatchObject({ title: 'Why?', model: 'm-1', end: 'prompt' });
  });

  test('every tool of the table has a row', () => {
    expect(toolHomes.map(({ id }) => id)).toEqual(TOOL_IDS);
  });

  test('variables of the environment say where a tool keeps its sessions', async () => {
    const home = await temporaryFolder();
    await writeAt(home, { 'elsewhere/projects/-x/1.jsonl': claudeSession('Here') });
    const finder = new SessionFinder(machine(home, { env: { CLAUDE_CONFIG_DIR: join(home, 'elsewhere') } }));
    const [change] = await finder.changes(asked('claude-code'));
    expect(change?.written).toHaveLength(1);
  });

  test('folders of the settings are looked at too', async () => {
    const { home, finder } = await homeWith({ 'backup/-x/1.jsonl': claudeSession('Old') });
    const [change] = await finder.changes(asked('claude-code', join(home, 'backup')));
    expect(change?.written).toHaveLength(1);
  });

  test('on Windows and macOS, VS Code keeps them elsewhere', async () => {
    const home = await temporaryFolder();
    const at = (folder: string) => ({
      [`${folder}/Code/User/workspaceStorage/abc/chatSessions/1.json`]: '{"requests":[],"sessionId":"1"}',
    });
    await writeAt(home, { ...at('AppData/Roaming'), ...at('Library/Application Support') });
    for (const platform of ['win32', 'darwin'] as const) {
      const [change] = await new SessionFinder(machine(home, { platform })).changes(asked('vscode-chat'));
      expect(change?.written).toHaveLength(1);
    }
  });

  test('subagents are parts of their session, and no sessions', async () => {
    const { look } = await homeWith({
      [`${project}/1.jsonl`]: claudeSession('Bake'),
      [`${project}/agent-9.jsonl`]: claudeSession('Stir'),
      [`${project}/1/subagents/agent-2.jsonl`]: claudeSession('Knead'),
    });
    expect((await look('claude-code')).names).toEqual(['1.jsonl']);
  });

  test('a rollout that Codex is just moving to its archive is one session', async () => {
    const name = 'rollout-2026-01-02T03-04-05-2.jsonl';
    const { look } = await homeWith({
      [`.codex/sessions/2026/01/02/${name}`]: '{}\n',
      [`.codex/archived_sessions/${name}`]: '{}\n',
    });
    expect((await look('codex')).names).toEqual([name]);
  });
});

describe('looking again', () => {
  test('tells what came, was written to and went, and nothing else', async () => {
    const old = Date.now() - 3_600_000;
    const { home, paths, look } = await homeWith(
      { [`${project}/1.jsonl`]: claudeSession('One'), [`${project}/2.jsonl`]: claudeSession('Two') },
      old,
    );
    await look('claude-code');
    expect(await look('claude-code')).toMatchObject({ names: [], gone: [] });
    await appendFile(paths[0] ?? '', '{}\n');
    await rm(paths[1] ?? '');
    await writeAt(home, { [`${project}/3.jsonl`]: claudeSession('Three') });
    expect(await look('claude-code')).toMatchObject({ names: ['1.jsonl', '3.jsonl'], gone: [paths[1]] });
  });

  test('a new folder is found', async () => {
    const { home, look } = await homeWith({ [`${project}/1.jsonl`]: claudeSession('One') });
    await look('claude-code');
    await writeAt(home, { '.claude/projects/-other/2.jsonl': claudeSession('Two') });
    expect((await look('claude-code')).names).toEqual(['2.jsonl']);
  });

  test('asks only those for their times that may have changed, where it is told since when', async () => {
    const old = Date.now() - 3_600_000;
    const { paths, look } = await homeWith({ [`${project}/1.jsonl`]: claudeSession('One') }, old);
    await look('claude-code');
    await appendFile(paths[0] ?? '', '{}\n');
    expect((await look('claude-code', Date.now() - 60_000)).names).toEqual([]);
    expect((await look('claude-code')).names).toEqual(['1.jsonl']);
  });
});

describe('what is hostile or broken', () => {
  test('links are not followed and are counted, and what is no file is none', async () => {
    const { home, look } = await homeWith({
      'secret/x.jsonl': claudeSession('Secret'),
      [`${project}/1.jsonl`]: claudeSession('One'),
    });
    await symlink(join(home, 'secret'), join(home, '.claude/projects/-linked'));
    await symlink(join(home, 'secret/x.jsonl'), join(home, project, '2.jsonl'));
    await mkdir(join(home, project, '3.jsonl'));
    await writeFile(join(home, project, '4.jsonl'), '');
    for (let look_ = 0; look_ < 2; look_++) {
      const { problems, leftAlone } = await look('claude-code');
      expect({ problems, leftAlone }).toEqual({ problems: [], leftAlone: ['2 links were not followed.'] });
    }
    const { finder } = await homeWith({});
    expect((await finder.about('claude-code', [join(home, project, '2.jsonl')]))[0]).toBeUndefined();
  });

  test('the folder of a tool may be a link, which the person has made', async () => {
    const { home, look } = await homeWith({ 'dotfiles/projects/-x/1.jsonl': claudeSession('One') });
    await symlink(join(home, 'dotfiles'), join(home, '.claude'));
    expect((await look('claude-code')).names).toEqual(['1.jsonl']);
  });

  test('a tool without folders has no sessions and no problems', async () => {
    const { look } = await homeWith({});
    for (const id of TOOL_IDS) expect(await look(id)).toMatchObject({ names: [], problems: [] });
  });

  test('sessions of any bytes tell nothing, or what can be understood', async () => {
    const deep = '['.repeat(100_000);
    const { finder, paths } = await homeWith({
      [`${project}/1.jsonl`]: `${deep}\n\0\0\0\n{"type":"custom-title","customTitle":"Found"}\n{"type":"us`,
      [`${project}/2.jsonl`]: '\u{1F3AD}'.repeat(50_000),
      [`${project}/3.jsonl`]: '{"type":"user","message":{"role":"user","content":{"a":[null]}},"cwd":7}\n',
    });
    const about = await finder.about('claude-code', paths);
    expect(about.map((each) => each?.title)).toEqual(['Found', '', '']);
  });

  test('of a very long session its beginning and its end are read, and its messages are estimated', async () => {
    const { paths, finder } = await homeWith({ [`${project}/1.jsonl`]: claudeSession('Long') });
    const [path = ''] = paths;
    const filler = `${JSON.stringify({ type: 'user', message: { role: 'user', content: 'x'.repeat(500) } })}\n`;
    await appendFile(path, filler.repeat(20_000));
    await appendFile(path, '{"type":"ai-title","aiTitle":"A name from its end"}\n');
    const [about] = await finder.about('claude-code', [path]);
    expect(about).toMatchObject({ title: 'A name from its end', isEstimated: true, end: 'prompt' });
    expect(Math.abs((about?.messages ?? 0) - 20_002)).toBeLessThan(1_000);
  });

  test('a file that is cut while it is read is read as far as it goes', async () => {
    const { paths } = await homeWith({ [`${project}/1.jsonl`]: claudeSession('Cut') });
    await truncate(paths[0] ?? '', 60);
    expect((await aboutSession('claude-code', paths[0] ?? '')).end).toBeUndefined();
  });

  test('names that come within the resolution of a clock are found', async () => {
    const { home, look } = await homeWith({ [`${project}/1.jsonl`]: claudeSession('One') });
    await look('claude-code');
    const folder = join(home, project);
    await link(join(folder, '1.jsonl'), join(folder, '2.jsonl'));
    // As if the clock of the file system had not moved on meanwhile.
    await utimes(folder, new Date(), new Date());
    expect((await look('claude-code')).names).toEqual(['2.jsonl']);
    expect(dirname(folder)).toBe(join(home, '.claude/projects'));
  });
});

describe('the last word', () => {
  const line = (value: unknown) => `${JSON.stringify(value)}\n`;
  const call = line({
    type: 'assistant',
    message: { role: 'assistant', id: 'n', content: [{ type: 'tool_use', id: 't' }] },
  });
  test.each([
    ['an answer', '', 'answer'],
    ['a call that nothing answers', call, 'call'],
    ['a failed request', line({ type: 'assistant', isApiErrorMessage: true, message: {} }), 'error'],
    ['a prompt', line({ type: 'user', message: { role: 'user', content: 'And then?' } }), 'prompt'],
  ])('of a session is %s', async (_name, more, end) => {
    const { paths } = await homeWith({ [`${project}/1.jsonl`]: claudeSession('One') + more });
    expect((await aboutSession('claude-code', paths[0] ?? '')).end).toBe(end);
  });
});

test("the sessions of Cline's command line have their folder from the file beside them", async () => {
  const at = '.cline/data/sessions/11_a';
  const session = {
    version: 1,
    agent: 'lead',
    sessionId: '11_a',
    messages: [
      {
        role: 'user',
        ts: 1,
        content: [{ type: 'text', text: '<user_input mode="act">Mend it</user_input>' }],
      },
      { role: 'assistant', ts: 2, modelInfo: { id: 'm' }, content: [{ type: 'text', text: 'Mended.' }] },
    ],
  };
  const { finder, look, paths } = await homeWith({
    [`${at}/11_a.messages.json`]: JSON.stringify(session),
    [`${at}/11_a.json`]: JSON.stringify({ session_id: '11_a', cwd: '/home/me/gate' }),
  });
  expect((await look('cline')).names).toEqual(['11_a.messages.json']);
  const [path = ''] = paths;
  expect(await finder.about('cline', [path])).toMatchObject([
    { title: 'Mend it', agent: 'lead', model: 'm', messages: 2, end: 'answer' },
  ]);
  expect(await finder.workspaces('cline', [path])).toEqual(['/home/me/gate']);
});

describe('in databases', () => {
  const data = '.local/share/opencode';

  /** A home in which OpenCode has its database open. */
  async function openCodeHome(files: Readonly<Record<string, string>> = {}) {
    const home = await homeWith({ [`${data}/log/opencode.log`]: 'x', ...files });
    const path = join(home.home, data, 'opencode.db');
    return { ...home, path, writer: new OpenCodeWriter(writtenDatabase(path, OPEN_CODE_SCHEMA)) };
  }

  test('the sessions of OpenCode are listed with what their rows tell, without those that others started', async () => {
    const { finder, look, path, writer } = await openCodeHome();
    writer.session('ses_1', 'Clean the barn').exchange('ses_1', 'Clean it', 'It is clean.');
    writer.session('ses_2', 'Look', 'ses_1').exchange('ses_2', 'Look', 'Seen.');
    const { written, problems } = await look('opencode');
    expect(problems).toEqual([]);
    expect(written.map((file) => file.path)).toEqual([`${path}/ses_1`]);
    expect(written[0]?.changed).toBeGreaterThan(BEGUN);
    expect(await finder.about('opencode', [`${path}/ses_1`])).toEqual([
      {
        title: 'Clean the barn',
        workspace: '/home/me/barn',
        agent: 'build',
        model: 'big',
        messages: 2,
        isEstimated: false,
        end: 'answer',
        life: { phase: 'finished', attempts: 0, asks: [], calls: [], lately: [] },
      },
    ]);
    expect(await finder.workspaces('opencode', [`${path}/ses_1`])).toEqual(['/home/me/barn']);
  });

  test('only the session that was written to is told of, and one that is gone', async () => {
    const { look, path, writer } = await openCodeHome();
    writer.session('ses_1', 'One').session('ses_2', 'Two');
    expect((await look('opencode')).written).toHaveLength(2);
    expect((await look('opencode')).written).toEqual([]);
    writer.exchange('ses_2', 'Go on', 'Done.');
    expect((await look('opencode', Date.now())).written.map((file) => file.path)).toEqual([`${path}/ses_2`]);
    writer.remove('ses_1');
    expect((await look('opencode')).gone).toEqual([`${path}/ses_1`]);
  });

  test('a session that is in the database, and in a file that an older version left, is listed once', async () => {
    const about = { projectID: 'p1', directory: '/home/me/barn', title: 'Clean the barn' };
    const inFolder = (id: string) => ({
      [`${data}/storage/session/p1/${id}.json`]: JSON.stringify({ id, ...about }),
    });
    const { look, path, writer } = await openCodeHome({ ...inFolder('ses_1'), ...inFolder('ses_2') });
    writer.session('ses_1', 'Clean the barn');
    const { written } = await look('opencode');
    expect(written.map((file) => file.path.replace(dirname(path), ''))).toEqual([
      '/opencode.db/ses_1',
      '/storage/session/p1/ses_2.json',
    ]);
  });

  test("the chats of Cursor are listed without empty ones, and a chat's folder is what it says", async () => {
    const { home, finder, look } = await homeWith({ '.config/Cursor/User/globalStorage/storage.json': '{}' });
    const path = join(home, '.config/Cursor/User/globalStorage/state.vscdb');
    const database = writtenDatabase(path, CURSOR_SCHEMA);
    const uri = { fsPath: '/home/me/cart' };
    writeCursorChat(database, 'c1', { name: 'The cart', workspaceIdentifier: { id: 'w', uri } }, [
      { bubbleId: 'a', type: 1, text: 'Load it' },
      { bubbleId: 'b', type: 2, text: 'Loaded.' },
    ]);
    writeCursorChat(database, 'c2', {}, []);
    writeCursorChat(database, 'c3', { subagentInfo: { subagentTypeName: 'explore' } }, [
      { bubbleId: 'a', type: 1, text: 'Look' },
    ]);
    const { written, problems } = await look('cursor');
    expect([problems, written.map((file) => file.path)]).toEqual([[], [`${path}/c1`]]);
    expect(await finder.about('cursor', [`${path}/c1`])).toMatchObject([
      { title: 'The cart', workspace: '/home/me/cart', messages: 2, end: 'answer' },
    ]);
    expect(await finder.workspaces('cursor', [`${path}/c1`])).toEqual(['/home/me/cart']);
    writeCursorChat(database, 'c2', {}, [{ bubbleId: 'a', type: 1, text: 'Begin' }]);
    expect((await look('cursor')).written.map((file) => file.path)).toEqual([`${path}/c2`]);
  });

  test('one that cannot be read is told of in words, and the sessions of others are listed', async () => {
    const { look, path } = await homeWith({
      [`${data}/opencode.db`]: `SQLite format 3\0${'x'.repeat(5_000)}`,
      [`${data}/storage/session/p1/ses_2.json`]: '{}',
    }).then(({ home, ...rest }) => ({ ...rest, path: join(home, data, 'opencode.db') }));
    const { names, problems } = await look('opencode');
    expect(names).toEqual(['ses_2.json']);
    expect(problems).toEqual([expect.stringContaining(`${path} cannot be read: SQLite says: `)]);
  });
});

describe('where tools keep sessions today', () => {
  test('sessions in the database of Goose are listed, and those of OpenCode whose parent is gone', async () => {
    const { home, finder, look } = await homeWith({
      '.local/share/goose/sessions/a.jsonl': '{}\n',
      '.local/share/opencode/x': '',
    });
    const goose = writtenDatabase(join(home, '.local/share/goose/sessions/sessions.db'), GOOSE_SCHEMA);
    goose.run(
      `INSERT INTO sessions (id, name, working_dir, updated_at) VALUES ('20260102_1', 'Fish', '/home/me/pond', '2026-01-02 03:04:05')`,
    );
    const { written } = await look('goose');
    const found = written.find(({ path }) => path.endsWith('sessions.db/20260102_1'));
    expect(found?.changed).toBe(Date.UTC(2026, 0, 2, 3, 4, 5));
    expect((await finder.about('goose', [found?.path ?? '']))[0]).toMatchObject({
      title: 'Fish',
      workspace: '/home/me/pond',
    });
    const writer = new OpenCodeWriter(
      writtenDatabase(join(home, '.local/share/opencode/opencode.db'), OPEN_CODE_SCHEMA),
    );
    writer
      .session('ses_1', 'Clean the barn')
      .session('ses_2', 'look', 'ses_1')
      .session('ses_3', 'Alone', 'ses_0');
    expect((await look('opencode')).names).toEqual(['ses_1', 'ses_3']);
  });

  const log = (id: string, ...prompts: string[]) =>
    [
      { type: 'session.start', data: { sessionId: id, producer: 'copilot-agent' } },
      ...prompts.map((content) => ({ type: 'user.message', data: { content } })),
    ]
      .map((value) => `${JSON.stringify(value)}\n`)
      .join('');
  const chat = (id: string, ...prompts: string[]) =>
    JSON.stringify({
      version: 3,
      sessionId: id,
      requests: prompts.map((text) => ({ requestId: text, message: { text } })),
    });

  test.each(['.config/Code/User', '.vscode-server/data/User'])(
    'logs that Copilot Chat keeps of chats are found in %s, once beside the chat, and an empty chat hides none',
    async (data) => {
      const base = `${data}/workspaceStorage/abc`;
      const { finder, look } = await homeWith({
        [`${base}/workspace.json`]: '{"folder":"file:///home/me/oven"}',
        [`${base}/GitHub.copilot-chat/transcripts/a.jsonl`]: log('a', 'Only in the log'),
        [`${base}/GitHub.copilot-chat/transcripts/b.jsonl`]: log('b', 'From the log'),
        [`${base}/chatSessions/b.jsonl`]: `${JSON.stringify({ kind: 0, v: { sessionId: 'b', requests: [] } })}\n`,
        [`${base}/GitHub.copilot-chat/transcripts/c.jsonl`]: log('c', 'From the log'),
        [`${base}/chatSessions/c.json`]: chat('c', 'From the chat'),
      });
      const { written } = await look('vscode-chat');
      const paths = written.map(({ path }) => path).sort();
      const told = await finder.about('vscode-chat', paths);
      expect(told.map((about) => about?.title).sort()).toEqual([
        'From the chat',
        'From the log',
        'Only in the log',
      ]);
      expect(new Set(await finder.workspaces('vscode-chat', paths))).toEqual(new Set(['/home/me/oven']));
    },
  );

  const thread = '019e0000-0000-7000-8000-000000000001';
  const further = '019e0000-0000-7000-8000-000000000002';
  const rollout = (...prompts: string[]) =>
    [
      { type: 'session_meta', payload: { id: thread, cwd: '/home/me/mill' } },
      ...prompts.map((text) => ({
        type: 'response_item',
        payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
      })),
      { type: 'event_msg', payload: { type: 'task_complete' } },
    ]
      .map((value) => `${JSON.stringify(value)}\n`)
      .join('');

  test('a rollout that Codex has packed tells as much as a plain one, and beside that one it is none', async () => {
    const { home, finder, look } = await homeWith({});
    const day = join(home, '.codex/sessions/2026/01/02');
    const name = `rollout-2026-01-02T03-04-05-${thread}.jsonl`;
    await mkdir(day, { recursive: true });
    await writeFile(join(day, `${name}.zst`), storedZstd(rollout('Grind the corn')));
    const [packed] = (await look('codex')).written;
    expect(await finder.about('codex', [packed?.path ?? ''])).toMatchObject([
      { title: 'Grind the corn', workspace: '/home/me/mill', messages: 1, isEstimated: false, end: 'answer' },
    ]);
    expect(await finder.workspaces('codex', [packed?.path ?? ''])).toEqual(['/home/me/mill']);
    await writeFile(join(day, name), rollout('Grind the corn'));
    expect((await look('codex')).names).toEqual([name]);
  });

  test('of a packed rollout that is longer than is unpacked for a list, the beginning tells', async () => {
    const { home, finder } = await homeWith({});
    const path = join(home, `rollout-2026-01-02T03-04-05-${thread}.jsonl.zst`);
    await writeFile(path, storedZstd(`${rollout('Grind the corn')}${'x'.repeat(5_000_000)}`));
    expect((await finder.about('codex', [path]))[0]).toMatchObject({ title: 'Grind the corn' });
  });

  test('rollouts of one thread are one session, called as it begins and as new as it ends', async () => {
    const { finder, look } = await homeWith({
      [`.codex/sessions/2026/01/02/rollout-2026-01-02T03-04-05-${thread}.jsonl`]: rollout('Grind the corn'),
      [`.codex/sessions/2026/01/03/rollout-2026-01-03T03-04-05-${thread}_${further}.jsonl`]: `${rollout('Then bake')}{"type":"event_msg","payload":{"type":"error"}}\n`,
    });
    const { names, written } = await look('codex');
    expect(names).toEqual([`rollout-2026-01-02T03-04-05-${thread}.jsonl`]);
    const [about] = await finder.about('codex', [written[0]?.path ?? '']);
    expect(about).toMatchObject({ title: 'Grind the corn', messages: 2, isEstimated: false, end: 'error' });
  });

  test('files where sessions would be, with names of none, are told where nothing else is', async () => {
    const { look } = await homeWith({
      '.codex/sessions/2026/01/02/rollout-1.jsonl.br': 'x',
      '.codex/sessions/2026/01/02/rollout-2.jsonl.br': 'x',
    });
    expect((await look('codex')).problems).toEqual([
      expect.stringMatching(/^2 files of no known kind in .*\/01\/02 \(\.br\): no session is called so\.$/),
    ]);
  });
});
