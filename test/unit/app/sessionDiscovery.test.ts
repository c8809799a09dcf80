import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { searchedSessions } from '../../../src/app/discovery/openDiscovery.js';
import { SessionDiscovery } from '../../../src/app/discovery/sessionDiscovery.js';
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

  test('is offered for the tools of which a folder is there, and a yes for these is none for others', async () => {
    const { discovery, open, home } = await discoveryIn({
      ...sessionsOfTools.codex,
      ...sessionsOfTools['vscode-chat'],
    });
    expect(await discovery.present()).toEqual(['codex']);
    await discovery.allow(await discovery.present(), 'besides');
    expect([await listed(discovery), await discovery.present()]).toEqual([['codex'], []]);
    await writeAt(home, sessionsOfTools.pi, Date.now() - HOUR);
    const next = open();
    expect([await listed(next), await next.present()]).toEqual([['codex'], ['pi']]);
    await next.allow(['pi'], 'besides');
    expect(await listed(open())).toEqual(['codex', 'pi']);
    // Whoever has chosen is asked no more.
    await next.allow([]);
    expect([await listed(next), await next.present()]).toEqual([[], []]);
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

test('a session is found by what its tool calls it, by the name of its file or by what stands in it', async () => {
  const { discovery } = await discoveryIn(allSessions);
  await discovery.allow([...TOOL_IDS]);
  const { signal } = new AbortController();
  let found = 0;
  for (const { id, sessions } of await discovery.tools())
    for (const [path, about] of await discovery.about(id, [...sessions.values()])) {
      if (about.id === undefined) continue;
      found++;
      expect(await discovery.pathOf(about.id, signal)).toBe(path);
    }
  expect(found).toBeGreaterThan(3);
  expect(await discovery.pathOf('no such session', signal)).toBeUndefined();
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
