import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { ArchivePushing } from '../../../src/app/archive/archivePushing.js';
import type { settingDefaults } from '../../../src/app/manifest.js';
import { ArchivedTranscript } from '../../../src/archive/archivedTranscript.js';
import type { PushAnswer, PushRequest } from '../../../src/archive/archiveCalls.js';
import { ArchiveThreads } from '../../../src/archive/archiveThreads.js';
import { Emitter } from '../../../src/core/event.js';
import { useTranslations } from '../../../src/core/l10n.js';
import { RecordingLog } from '../../support/recordingLog.js';
import { memorySettings } from '../../support/appHost.js';
import { buildWorker } from '../../support/buildWorker.js';
import { PASSWORD } from '../../support/postgresServer.js';
import { recordOf, said, temporaryStore } from '../../support/storeFixture.js';
import { ownArchives } from '../../support/testArchive.js';
import { soon } from '../../support/soon.js';

const { server, database, connect } = ownArchives();

let script: URL;
beforeAll(async () => {
  script = await buildWorker('archive/archive.worker.ts');
});

const never = new AbortController().signal;

/** A window with a store of one conversation, and a way to push it. */
async function pushing(settings: Partial<typeof settingDefaults>, password = PASSWORD) {
  const { store, root } = await temporaryStore();
  await store.importConversation('c1', [recordOf(1, said('flour')), recordOf(2, said('water'))]);
  await store.catalog.refresh();
  const secrets = new Map<string, string>();
  const told: string[] = [];
  const log = new RecordingLog();
  const made = new ArchivePushing({
    settings: memorySettings(settings),
    secrets: {
      get: (key) => Promise.resolve(secrets.get(key)),
      store: (key, value) => Promise.resolve(void secrets.set(key, value)),
      delete: (key) => Promise.resolve(void secrets.delete(key)),
    },
    dialogs: {
      showWarning: (words) => {
        told.push(words);
        return Promise.resolve(undefined);
      },
    },
    stores: {
      conversations: () => Promise.resolve(store.catalog.entries().map((entry) => ({ store, root, entry }))),
      onDidChange: store.catalog.onDidChange,
    },
    threads: new ArchiveThreads({ log, script }),
    log,
    quietMs: 1,
  });
  onTestFinished(() => made.dispose());
  if (settings['archive.address']) secrets.set(made.passwordKey(), password);
  return { made, store, told, secrets };
}

/** A window that pushes what its stores have as it grows, over threads that only look like it. */
function pushingAsTheyGrow(
  parts: Pick<ConstructorParameters<typeof ArchivePushing>[0], 'stores' | 'threads' | 'quietMs'>,
): void {
  const made = new ArchivePushing({
    settings: memorySettings({
      'archive.address': 'postgres://a@localhost/team?sslmode=disable',
      'archive.push': 'live',
    }),
    secrets: {
      get: () => Promise.resolve(''),
      store: () => Promise.resolve(),
      delete: () => Promise.resolve(),
    },
    dialogs: { showWarning: () => Promise.resolve(undefined) },
    log: new RecordingLog(),
    ...parts,
  });
  onTestFinished(() => made.dispose());
}

test('a person pushes all conversations of the window, and is told what came of it', async () => {
  const name = await database();
  const { made } = await pushing({ 'archive.address': server().address(name), 'archive.mode': 'full' });
  const progress: number[] = [];
  const answers = await made.pushAll(never, (done, all) => progress.push(done / all));
  expect(answers).toMatchObject([{ id: 'c1', outcome: { kind: 'new', added: 2, mode: 'full' } }]);
  expect(progress).toEqual([1]);
  expect(await made.pushAll(never, () => undefined)).toMatchObject([{ outcome: { kind: 'unchanged' } }]);
});

test('what the thread says to a person is in their language', async () => {
  useTranslations({
    "No server answers at {0}. Check the archive's address, and whether the server runs.":
      'Unter {0} antwortet kein Server.',
  });
  onTestFinished(() => useTranslations(undefined));
  const { made } = await pushing({ 'archive.address': 'postgres://me@localhost:1/none' });
  await expect(made.pushAll(never, () => undefined)).rejects.toThrow(
    'Unter localhost:1/none antwortet kein Server.',
  );
});

test('conversations are pushed as they grow, also after the archive was away', async () => {
  const name = await database();
  const { made, store, told } = await pushing({
    'archive.address': server().address(name),
    'archive.push': 'live',
    'archive.mode': 'full',
  });
  const connection = await connect(name);
  const held = async () => {
    const { rows } = await connection
      .query('SELECT records FROM agent_logbook.conversations')
      .catch(() => ({ rows: [] }));
    return rows[0]?.records;
  };
  await soon(async () => expect(await held()).toBe(2));
  const resumed = await store.resumeConversation('c1');
  if ('refused' in resumed) throw new Error(resumed.refused);
  resumed.journal.append(recordOf(3, said('salt')));
  await resumed.journal.flush();
  await soon(async () => expect(await held()).toBe(3));
  await connection.close();
  await server().kill();
  resumed.journal.append(recordOf(4, said('time')));
  await resumed.journal.flush();
  await expect(made.pushAll(never, () => undefined)).rejects.toThrow(/No server answers|broke off/);
  await server().begin();
  await made.pushAll(never, () => undefined);
  const again = await connect(name);
  const transcript = new ArchivedTranscript('c1', 10, () => Promise.resolve(again));
  expect((await transcript.read(0, 10)).map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
  await again.close();
  expect(told).toEqual([]);
});

test('two stores may have a conversation of the same id: what came of one says nothing of the other', async () => {
  const [one, other] = [await temporaryStore(), await temporaryStore()];
  for (const { store } of [one, other]) {
    await store.importConversation('c1', [recordOf(1, said('flour'))]);
    await store.catalog.refresh();
  }
  const changed = new Emitter<void>((error) => {
    throw error;
  });
  const asked: string[][] = [];
  pushingAsTheyGrow({
    stores: {
      conversations: () =>
        Promise.resolve(
          [one, other].flatMap(({ store, root }) =>
            store.catalog.entries().map((entry) => ({ store, root, entry })),
          ),
        ),
      onDidChange: changed.event,
    },
    threads: {
      dispose: () => undefined,
      push: ({ conversations }: PushRequest, _: AbortSignal, onAnswer: (answer: PushAnswer) => void) => {
        asked.push(conversations.map(({ root }) => root));
        for (const { root, id } of conversations)
          onAnswer({ root, id, ...(root === other.root && { problem: 'another conversation of this id' }) });
        return Promise.resolve();
      },
    },
    quietMs: 1,
  });
  await soon(() => expect(asked).toEqual([[one.root, other.root]]));
  changed.fire(undefined);
  await soon(() => expect(asked.slice(1)).toEqual([[other.root]]));
});

test('a window in which something always goes on is pushed, and one whose archive is away is not asked at each change', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { store, root } = await temporaryStore();
  await store.importConversation('c1', [recordOf(1, said('flour'))]);
  await store.catalog.refresh();
  const entries = () => store.catalog.entries().map((entry) => ({ store, root, entry }));
  const changed = new Emitter<void>((error) => {
    throw error;
  });
  let [pushes, isAway] = [0, false];
  const threads = {
    dispose: () => undefined,
    push: (_: PushRequest, __: AbortSignal, onAnswer: (answer: PushAnswer) => void) => {
      pushes++;
      if (isAway) return Promise.reject(Object.assign(new Error('away'), { code: 'away' }));
      onAnswer({ root, id: 'c1', problem: 'never done, so that it is pushed again' });
      return Promise.resolve();
    },
  };
  pushingAsTheyGrow({
    stores: { conversations: () => Promise.resolve(entries()), onDidChange: changed.event },
    threads,
  });
  const busyMinutes = async (minutes: number) => {
    for (let second = 0; second < minutes * 60; second += 5) {
      changed.fire(undefined);
      await vi.advanceTimersByTimeAsync(5_000);
    }
  };
  await busyMinutes(5);
  expect(pushes).toBeGreaterThanOrEqual(4);
  [pushes, isAway] = [0, true];
  await busyMinutes(10);
  expect(pushes).toBeGreaterThan(0);
  expect(pushes).toBeLessThanOrEqual(5);
});

test('what is wrong is told with what to do, and once while nothing changes', async () => {
  const none = await pushing({});
  await expect(none.made.pushAll(never, () => undefined)).rejects.toThrow('archive.address is empty');
  const open = await pushing({}).then(({ made }) => made);
  expect(() => open.passwordKey()).toThrow('is empty');
  const name = await database();
  const wrong = await pushing({ 'archive.address': server().address(name), 'archive.push': 'live' }, 'wrong');
  await soon(() => expect(wrong.told).toHaveLength(1));
  expect(wrong.told[0]).toContain('does not let this user in');
  await expect(wrong.made.pushAll(never, () => undefined)).rejects.toThrow('does not let this user in');
  expect(wrong.told).toHaveLength(1);
});

test('a password in the settings is refused', async () => {
  await expect(pushing({ 'archive.address': 'postgres://a:secret@h/team' })).rejects.toThrow(
    'Set Archive Password',
  );
});

test('a push that is stopped ends with the reason, and the next one goes on', async () => {
  const name = await database();
  const { made } = await pushing({ 'archive.address': server().address(name) });
  await expect(made.pushAll(AbortSignal.abort(new Error('enough')), () => undefined)).rejects.toThrow(
    'enough',
  );
  expect(await made.pushAll(never, () => undefined)).toMatchObject([
    { outcome: { kind: 'new', mode: 'redacted' } },
  ]);
});
