import { appendFile, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { SessionCopies } from '../../../src/app/discovery/sessionCopies.js';
import { SessionDiscovery } from '../../../src/app/discovery/sessionDiscovery.js';
import { ScriptedModel } from '../../../src/agents/models/scriptedModel.js';
import { ProcessLock } from '../../../src/node/processLock.js';
import { ImportThread } from '../../../src/search/reader/importThread.js';
import { anApplication } from '../../support/appHost.js';
import { buildWorker } from '../../support/buildWorker.js';
import { noteOn } from '../../support/noteOn.js';
import { RecordingLog } from '../../support/recordingLog.js';
import { claudeSession, writeAt } from '../../support/sessionHome.js';
import { temporaryFolder } from '../../support/storeFixture.js';

let scripts: Record<'discovery' | 'import', URL>;
beforeAll(async () => {
  scripts = {
    discovery: await buildWorker('capture/discovery/discovery.worker.ts'),
    import: await buildWorker('search/reader/import.worker.ts'),
  };
});

const HOUR = 3_600_000;
const said = (uuid: string, text: string) =>
  `${JSON.stringify({ type: 'user', uuid, sessionId: '1', message: { role: 'user', content: text } })}\n`;

/** A window on one folder, on a machine with a session of Claude Code that was held there an hour ago. */
async function aWindow({ storePath = '', heldIn }: { storePath?: string; heldIn?: string } = {}) {
  const [home, storage] = [await temporaryFolder(), await temporaryFolder()];
  const model = new ScriptedModel({ name: 'kitchen', agents: new Map() });
  const app = await anApplication({ agents: [], model, settings: { storePath } });
  onTestFinished(() => app.close());
  const log = new RecordingLog();
  const machine = { home, platform: 'linux' as const, env: {} };
  const { settings, workspace } = app.host;
  const discovery = new SessionDiscovery({ machine, storage, settings, log, script: scripts.discovery });
  onTestFinished(() => discovery.dispose());
  await discovery.allow(['claude-code']);
  const [path = ''] = await writeAt(
    home,
    { '.claude/projects/-x/1.jsonl': claudeSession('Bake a cake', heldIn ?? join(app.path, 'src')) },
    Date.now() - HOUR,
  );
  const newThread = () => Promise.resolve(new ImportThread({ log, script: scripts.import }));
  const copies = new SessionCopies({
    discovery,
    storeFor: (folder) => app.stores.storeFor(folder),
    workspace,
    settings,
    storage,
    newThread,
    log,
  });
  const copied = async () =>
    (await app.stores.conversations()).map(({ entry }) => ({ title: entry.title, messages: entry.messages }));
  const age = () => utimes(path, (Date.now() - HOUR) / 1000, (Date.now() - HOUR) / 1000);
  const round = () => copies.copy(new AbortController().signal);
  return { ...app, log, path, storage, discovery, round, copied, age };
}

test('a session that was held in the folder of the window is copied into its logbook, once', async () => {
  const { round, copied } = await aWindow();
  expect(await round()).toEqual({ read: 1, stored: 1, failed: 0 });
  expect(await copied()).toEqual([{ title: 'Bake a cake', messages: 2 }]);
  expect(await round()).toEqual({ read: 0, stored: 0, failed: 0 });
  expect(await copied()).toHaveLength(1);
});

test('what it gains later is added to its copy, which keeps its notes', async () => {
  const { round, copied, path, age, stores } = await aWindow();
  await round();
  const [first] = await stores.conversations();
  if (!first) throw new Error('Nothing was copied.');
  await noteOn(first.store, first.entry.conversation, 0, { id: 'n', text: 'Good', at: 1 });
  await appendFile(path, said('u2', 'And the icing?'));
  await age();
  expect(await round()).toEqual({ read: 1, stored: 1, failed: 0 });
  expect(await copied()).toEqual([{ title: 'Bake a cake', messages: 3 }]);
  expect((await first.store.notes(first.entry.conversation)).notes).toHaveLength(1);
});

test('one that changes what it had said has one copy, which has the notes', async () => {
  const { round, copied, path, age, stores } = await aWindow();
  await round();
  const [first] = await stores.conversations();
  if (!first) throw new Error('Nothing was copied.');
  await noteOn(first.store, first.entry.conversation, 0, { id: 'n', text: 'Good', at: 1 });
  await writeFile(path, said('u1', 'Bake bread') + said('u2', 'And soon'));
  await appendFile(path, claudeSession('Bake bread', first.root));
  await age();
  await round();
  expect(await copied()).toHaveLength(1);
  const [now] = await stores.conversations();
  expect(now?.entry.conversation).not.toBe(first.entry.conversation);
  expect((await now?.store.notes(now.entry.conversation))?.notes).toHaveLength(1);
});

test('a copy outlives the file of its tool', async () => {
  const { round, copied, path } = await aWindow();
  await round();
  await rm(path);
  await round();
  expect(await copied()).toHaveLength(1);
});

test('one that was written to within the last minutes waits', async () => {
  const { round, path } = await aWindow();
  await utimes(path, new Date(), new Date());
  expect((await round()).read).toBe(0);
});

test('sessions of other folders are not copied into this one, but where all transcripts lie in one place they are', async () => {
  const elsewhere = await aWindow({ heldIn: '/home/me/elsewhere' });
  expect((await elsewhere.round()).read).toBe(0);
  const onePlace = await aWindow({ heldIn: '/home/me/elsewhere', storePath: await temporaryFolder() });
  expect((await onePlace.round()).stored).toBe(1);
});

test('a thread that another started is copied with it, and is no conversation of its own', async () => {
  const { round, copied, path, discovery } = await aWindow({ storePath: await temporaryFolder() });
  const home = path.slice(0, path.indexOf('.claude'));
  const day = '.codex/sessions/2026/09/01/rollout-2026-09-01T10-00-0';
  const [parent, child] = ['019e0000-0000-7000-8000-000000000001', '019e0000-0000-7000-8000-000000000002'];
  const rollout = (id: string, words: string, more: object = {}) =>
    [
      { type: 'session_meta', payload: { id, cwd: '/home/me', ...more } },
      {
        type: 'response_item',
        payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: words }] },
      },
    ]
      .map((line) => `${JSON.stringify({ timestamp: '2026-09-01T10:00:00.000Z', ...line })}\n`)
      .join('');
  await writeAt(
    home,
    {
      [`${day}0-${parent}.jsonl`]: rollout(parent, 'Bake bread'),
      [`${day}1-${child}.jsonl`]: rollout(child, 'Knead', { parent_thread_id: parent }),
    },
    Date.now() - HOUR,
  );
  await discovery.allow(['codex']);
  await round();
  expect((await copied()).filter(({ title }) => title !== 'Bake a cake')).toEqual([
    { title: 'Bake bread', messages: 2 },
  ]);
});

test('where what was copied is forgotten, nothing is there twice', async () => {
  const { round, copied, storage } = await aWindow();
  await round();
  await writeFile(join(storage, 'sessionCopies.json'), '{"broken');
  expect(await round()).toEqual({ read: 1, stored: 0, failed: 0 });
  expect(await copied()).toHaveLength(1);
});

test('what older readers have copied is read again', async () => {
  const { round, copied, storage } = await aWindow();
  await round();
  const memory = join(storage, 'sessionCopies.json');
  await writeFile(memory, (await readFile(memory, 'utf8')).replaceAll(/,"reader":\d+/g, ''));
  expect(await round()).toEqual({ read: 1, stored: 0, failed: 0 });
  expect(await round()).toMatchObject({ read: 0 });
  expect(await copied()).toHaveLength(1);
});

test('a window copies nothing while another one does', async () => {
  const { round, storage } = await aWindow();
  const acquired = await ProcessLock.acquire(join(storage, 'sessionCopies.lock'));
  expect(await round()).toEqual({ read: 0, stored: 0, failed: 0 });
  if ('lock' in acquired) await acquired.lock.release();
  expect((await round()).stored).toBe(1);
});

test('of a tool that is allowed no longer nothing is copied', async () => {
  const { round, discovery } = await aWindow();
  await discovery.allow([]);
  expect((await round()).read).toBe(0);
});
