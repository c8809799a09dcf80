import { appendFile, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { searchedSessions } from '../../../src/app/discovery/searchedSessions.js';
import { SessionDiscovery } from '../../../src/app/discovery/sessionDiscovery.js';
import { SessionRows, SESSIONS_AT_ONCE } from '../../../src/app/discovery/sessionGroups.js';
import { stateOf } from '../../../src/app/discovery/sessionState.js';
import { TOOL_IDS, type ToolId } from '../../../src/import/toolHomes.js';
import { memorySettings } from '../../support/appHost.js';
import { buildWorker } from '../../support/buildWorker.js';
import { RecordingLog } from '../../support/recordingLog.js';
import { claudeSession, sessionsOfTools, writeAt, type FileContent } from '../../support/sessionHome.js';
import { temporaryFolder } from '../../support/storeFixture.js';
import { soon } from '../../support/soon.js';

let script: URL;
beforeAll(async () => {
  script = await buildWorker('capture/discovery/discovery.worker.ts');
});

const HOUR = 3_600_000;

/** Finding sessions below a home of its own. */
async function discoveryIn(
  files: Readonly<Record<string, FileContent>>,
  folders: Record<string, unknown> = {},
) {
  const [home, storage] = [await temporaryFolder(), await temporaryFolder()];
  const paths = await writeAt(home, files, Date.now() - HOUR);
  const log = new RecordingLog();
  const settings = memorySettings({
    'sessions.folders': folders as Readonly<Record<string, readonly string[]>>,
  });
  const open = () => {
    const machine = { home, platform: 'linux' as const, env: {} };
    const discovery = new SessionDiscovery({ machine, storage, settings, log, script });
    onTestFinished(() => discovery.dispose());
    return discovery;
  };
  return { home, storage, paths, log, open, discovery: open() };
}

const allSessions = Object.assign({}, ...Object.values(sessionsOfTools)) as Record<string, FileContent>;
const listed = async (discovery: SessionDiscovery) => {
  const found = await discovery.list(new AbortController().signal);
  return found.map(({ tool }) => tool).sort();
};

describe('what a person allows', () => {
  test('nothing is looked for before', async () => {
    const { discovery } = await discoveryIn(allSessions);
    expect(await listed(discovery)).toEqual([]);
    expect(await discovery.tools()).toEqual([]);
  });

  test('a tool that is allowed is listed, others are not', async () => {
    const { discovery } = await discoveryIn(allSessions);
    await discovery.allow(['codex']);
    expect(await listed(discovery)).toEqual(['codex']);
  });

  test('is remembered, and can be taken back', async () => {
    const { discovery, open } = await discoveryIn(allSessions);
    await discovery.allow([...TOOL_IDS]);
    const next = open();
    expect(await listed(next)).toEqual([...TOOL_IDS].sort());
    await next.allow(['pi']);
    expect(await listed(next)).toEqual(['pi']);
    expect(await listed(open())).toEqual(['pi']);
  });

  test.each(['{', '[]', '{"tools":{"codex":"yes","pi":1}}', 'null'])(
    'what is remembered as %s is no yes',
    async (text) => {
      const { discovery, storage } = await discoveryIn(allSessions);
      await writeFile(join(storage, 'sessionTools.json'), text);
      expect(await listed(discovery)).toEqual([]);
    },
  );

  test('is no word on tools that were not there to be asked about', async () => {
    const { discovery, storage } = await discoveryIn(allSessions);
    await writeFile(join(storage, 'sessionTools.json'), '{"tools":{"pi":true}}');
    expect((await discovery.consent.answers()).has('codex')).toBe(false);
    await discovery.allow(['pi']);
    expect((await discovery.consent.answers()).get('codex')).toBe(false);
    expect(JSON.parse(await readFile(join(storage, 'sessionTools.json'), 'utf8'))).toHaveProperty(
      'tools.codex',
    );
  });
});

test('the search asks the sessions of the tools that are allowed, and of one that is written to whether it is live', async () => {
  const { discovery, paths } = await discoveryIn(allSessions);
  const list = searchedSessions(() => Promise.resolve(discovery));
  expect(await list()).toEqual([]);
  await discovery.allow(['codex']);
  const [file, ...others] = await list();
  expect(others).toEqual([]);
  expect(paths).toContain(file?.path);
  expect(file?.isLive).toBe(false);
  await appendFile(file?.path ?? '', '\n');
  await discovery.look();
  expect(await list()).toMatchObject([{ path: file?.path, isLive: true }]);
});

describe('folders of the settings', () => {
  test('may begin with the home', async () => {
    const { discovery } = await discoveryIn(
      { 'backup/-x/1.jsonl': claudeSession('Old') },
      { 'claude-code': ['~/backup'] },
    );
    await discovery.allow(['claude-code']);
    expect(await listed(discovery)).toEqual(['claude-code']);
  });

  test.each([['relative/one'], [7], ['']])(
    'that are %j are not looked at, and the log says so',
    async (folder) => {
      const { discovery, log } = await discoveryIn({}, { 'claude-code': [folder] });
      await discovery.allow(['claude-code']);
      expect(log.lines.some((line) => line.includes('is no absolute path'))).toBe(true);
    },
  );
});

test('what a session tells is read again once it was written to, and not before', async () => {
  const { discovery, paths } = await discoveryIn(sessionsOfTools['claude-code']);
  const [path = ''] = paths;
  await discovery.allow(['claude-code']);
  const titled = async () => {
    const [tool] = await discovery.tools();
    const files = [...(tool?.sessions.values() ?? [])];
    return (await discovery.about('claude-code', files)).get(path)?.title;
  };
  expect(await titled()).toBe('Bake a cake');
  await appendFile(path, '{"type":"custom-title","customTitle":"The cake"}\n');
  expect(await titled()).toBe('Bake a cake');
  await discovery.look();
  expect(await titled()).toBe('The cake');
});

test('while somebody watches, what is written is told; a session that is gone is gone', async () => {
  const { discovery, home, paths } = await discoveryIn(sessionsOfTools.codex);
  await discovery.allow(['codex']);
  const told: ToolId[] = [];
  discovery.onDidChange((tools) => told.push(...tools));
  const watching = discovery.watch();
  await rm(paths[0] ?? '');
  await writeAt(home, { '.codex/sessions/2026/01/03/rollout-2026-01-03T00-00-00-4.jsonl': '{}\n' });
  await soon(() => expect(told).toContain('codex'));
  // The two may be told of one after the other.
  await soon(async () => {
    const [tool] = await discovery.tools();
    expect([...(tool?.sessions.keys() ?? [])].map((path) => path.slice(-7))).toEqual(['4.jsonl']);
  });
  watching.dispose();
});

describe('the rows', () => {
  async function rowsOf(files: Readonly<Record<string, FileContent>>) {
    const found = await discoveryIn(files);
    await found.discovery.allow([...TOOL_IDS]);
    return { ...found, rows: new SessionRows(found.discovery) };
  }

  test('are tools by their newest session, then folders by theirs, then sessions, newest first', async () => {
    const at = (project: string, name: string) => `.claude/projects/${project}/${name}.jsonl`;
    const { rows, discovery, paths } = await rowsOf({
      [at('-a', '1')]: claudeSession('Oldest', '/home/me/a'),
      [at('-b', '2')]: claudeSession('Middle', '/home/me/b'),
      [at('-a', '3')]: claudeSession('Newest', '/home/me/a'),
      ...sessionsOfTools.pi,
    });
    for (const [index, path] of paths.entries()) {
      const seconds = Date.now() / 1000 - 10_000 + index;
      await utimes(path, seconds, seconds);
    }
    await discovery.look();
    const now = Date.now();
    const [pi, claude] = await rows.tools(now);
    expect([pi?.name, claude?.name, claude?.count]).toEqual(['Pi', 'Claude Code', 3]);
    if (!claude) throw new Error('There is no such row.');
    const folders = await rows.workspaces(claude, now);
    expect(folders.map(({ label, sessions }) => [label, sessions.length])).toEqual([
      ['a', 2],
      ['b', 1],
    ]);
    expect(folders[0]?.sessions.map(({ path }) => path)).toEqual([paths[2], paths[0]]);
  });

  test('of folders with the same name are told apart by their paths', async () => {
    const { rows } = await rowsOf({
      '.claude/projects/-a/1.jsonl': claudeSession('One', '/home/me/x/app'),
      '.claude/projects/-b/2.jsonl': claudeSession('Two', '/home/me/y/app'),
    });
    const folders = await rows.workspaces({ id: 'claude-code' }, Date.now());
    expect(folders.map(({ label }) => label).sort()).toEqual(['/home/me/x/app', '/home/me/y/app']);
  });

  test('of a folder with very many sessions come a page at a time', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 250 }, (_, at) => [`.claude/projects/-a/${at}.jsonl`, claudeSession(`No. ${at}`)]),
    );
    const { rows } = await rowsOf(many);
    const [folder] = await rows.workspaces({ id: 'claude-code' }, Date.now());
    if (!folder) throw new Error('There is no such row.');
    const counted = () => rows.sessions(folder).map((row) => (row.kind === 'more' ? row.left : row.kind));
    expect(counted().slice(-2)).toEqual(['session', 250 - SESSIONS_AT_ONCE]);
    rows.showMore(folder);
    rows.showMore(folder);
    expect(counted()).toHaveLength(250);
    expect(counted().at(-1)).toBe('session');
  });

  test('say that a session is live that was just written to, and else what its last word was', () => {
    const file = { path: 'x', bytes: 1, changed: 1_000_000, workspaceKey: undefined };
    const about = {
      title: '',
      workspace: undefined,
      agent: undefined,
      model: undefined,
      messages: undefined,
      isEstimated: false,
    };
    const later = file.changed + HOUR;
    expect(stateOf(file, { ...about, end: 'answer' }, file.changed + 1000)).toBe('running');
    expect(stateOf(file, { ...about, end: 'answer' }, later)).toBe('done');
    expect(stateOf(file, { ...about, end: 'error' }, later)).toBe('failed');
    expect(stateOf(file, { ...about, end: 'call' }, later)).toBe('interrupted');
    expect(stateOf(file, { ...about, end: 'question' }, later)).toBe('waiting');
    expect(stateOf(file, undefined, later)).toBe('unknown');
  });
});
