import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { agentDefinition } from '../../../src/app/team/teamAgent.js';
import { ScriptedModel } from '../../../src/agents/models/scriptedModel.js';
import { silentLog } from '../../../src/core/ports/log.js';
import { Stores } from '../../../src/app/services/stores.js';
import { Emitter } from '../../../src/core/event.js';
import { readRows, type ReadRowsOnThread } from '../../../src/store/catalog/readRows.js';
import { TranscriptStore } from '../../../src/store/transcriptStore.js';
import { StoryTeller } from '../../support/storyTeller.js';
import { anApplication, memorySettings } from '../../support/appHost.js';
import { filledStore } from '../../support/filledStore.js';
import { temporaryFolder, temporaryStore } from '../../support/storeFixture.js';

const cook = agentDefinition({ name: 'Cook', instructions: 'You cook.' });

test('a conversation that another window has just written is found, though no view has heard of it', async () => {
  const model = new ScriptedModel({ name: 'kitchen', agents: new Map() });
  const { stores } = await anApplication({ agents: [cook], model });
  const [mine] = await stores.all();
  if (!mine) throw new Error('The folder has a store.');
  const theirs = await TranscriptStore.open({ root: mine.root, log: silentLog, onProblem: () => undefined });
  const story = new StoryTeller();
  story.run('Cook', 'Cook!').say('Soup.', 10);
  await theirs.importConversation('late', story.records);
  expect((await stores.find('late')).entry.conversation).toBe('late');
  expect(await stores.findAll(new Set(['never', 'late']))).toMatchObject([
    { entry: { conversation: 'late' } },
  ]);
  await expect(stores.find('never')).rejects.toThrow('This conversation is not there any more.');
  await theirs.close();
  await stores.close();
});

test('what is shown is searched with what is stored, and a found file of which neither holds a copy is read where it is', async () => {
  const { stores } = await anApplication({
    agents: [cook],
    model: new ScriptedModel({ name: 'kitchen', agents: new Map() }),
  });
  const [mine] = await stores.all();
  const passing = await temporaryStore();
  const story = new StoryTeller();
  story.run('Cook', 'Cook!').say('Soup.', 10);
  const source = { tool: 'codex', session: 's1', path: '/shown.jsonl', title: '' };
  await passing.store.importSession({ source, records: story.records });
  stores.addUnlisted(passing);
  const found = ['/shown.jsonl', '/new.jsonl'].map((path) => ({ path, changed: 0 }));
  const following = stores.addSearchedFiles(() => Promise.resolve(found));
  expect(await stores.searched()).toEqual([
    { root: mine?.root, isPassing: false },
    { root: passing.root, isPassing: true },
  ]);
  expect(await stores.searchedFiles()).toEqual([{ path: '/new.jsonl', changed: 0 }]);
  expect(await stores.countSearched()).toBe(2);
  following.dispose();
  expect(await stores.searchedFiles()).toEqual([]);
  await stores.close();
});

function folderAt(path: string) {
  return { name: 'work', uri: { scheme: 'file', fsPath: path, toString: () => `file://${path}` } };
}

/**
 * The stores of a window with some folders, which may be changed, whose thread reads the rows of many conversations with
 * `rows`.
 */
function storesAt(
  paths: readonly string[],
  rows: ReadRowsOnThread,
  trusted = new Emitter<void>(() => undefined),
) {
  const unused = () => Promise.reject(new Error('Nobody reads this.'));
  const stores = new Stores({
    settings: memorySettings(),
    workspace: {
      isTrusted: true,
      onDidGrantTrust: trusted.event,
      get folders() {
        return paths.map(folderAt);
      },
      workingFolder: () => folderAt(paths[0] ?? ''),
      requireFolder: () => Promise.resolve(),
    },
    dialogs: { showWarning: () => Promise.resolve(undefined) },
    problems: { show: () => undefined, solved: () => undefined },
    onThread: { lines: unused, row: unused, record: unused, rows },
    ownStorage: paths[0] ?? '',
    log: silentLog,
  });
  onTestFinished(() => stores.close());
  return stores;
}

test('what is read of a large store so far is listed, and that more is to come', async () => {
  const path = await temporaryFolder();
  await filledStore(350, path);
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  let batches = 0;
  const stores = storesAt([path], async (wanted) => {
    if (batches++ > 0) await held;
    return readRows(wanted, { log: silentLog, mayBlock: true });
  });
  const early = await stores.conversationsSoFar();
  expect(early).toMatchObject({ isReading: true, conversations: { length: 100 } });
  release();
  expect(await stores.conversations()).toHaveLength(350);
  expect(await stores.conversationsSoFar()).toMatchObject({
    isReading: false,
    conversations: { length: 350 },
  });
});

test('while a folder is read that is new in the workspace, nothing is listed of one that was taken out', async () => {
  const [old, added] = [await temporaryFolder(), await temporaryFolder()];
  await filledStore(5, old);
  await filledStore(350, added);
  const paths = [old];
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  let asked = 0;
  const stores = storesAt(paths, async (wanted) => {
    asked += wanted.length;
    await held;
    return readRows(wanted, { log: silentLog, mayBlock: true });
  });
  expect(await stores.conversations()).toHaveLength(5);
  paths[0] = added;
  const early = stores.conversationsSoFar();
  await expect.poll(() => asked).toBe(200);
  release();
  const roots = (await early).conversations.map(({ root }) => root);
  expect(new Set(roots)).toEqual(new Set([join(added, '.agent-logbook')]));
});

test('an empty store is known to be empty', async () => {
  const stores = storesAt([await temporaryFolder()], () => Promise.resolve([]));
  expect(await stores.conversationsSoFar()).toEqual({ isReading: false, conversations: [] });
});

test('a store that is opened anew does not wait until the first look at it has ended', async () => {
  const path = await temporaryFolder();
  await filledStore(350, path);
  const trusted = new Emitter<void>(() => undefined);
  let looked = 0;
  const stores = storesAt(
    [path],
    async (wanted) => {
      looked += wanted.length;
      if (looked === 100) trusted.fire();
      await new Promise((resolve) => setTimeout(resolve, 20));
      return readRows(wanted, { log: silentLog, mayBlock: true });
    },
    trusted,
  );
  await stores.all();
  await expect.poll(async () => (await stores.conversations()).length).toBe(350);
  // Of the first look, the two batches that were on their way.
  expect(looked).toBe(200 + 350);
});
