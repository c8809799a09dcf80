import { expect, test } from 'vitest';
import { agentDefinition } from '../../../src/app/team/teamAgent.js';
import { ScriptedModel } from '../../../src/models/scriptedModel.js';
import { silentLog } from '../../../src/ports/log.js';
import { TranscriptStore } from '../../../src/store/transcriptStore.js';
import { temporaryStore } from '../../support/storeFixture.js';
import { StoryTeller } from '../../support/storyTeller.js';
import { anApplication } from '../../support/appHost.js';

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
