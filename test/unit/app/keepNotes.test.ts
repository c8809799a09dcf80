import { expect, test } from 'vitest';
import { keepNotes } from '../../../src/app/services/keepNotes.js';
import { agentDefinition } from '../../../src/app/team/teamAgent.js';
import type { FileReport } from '../../../src/capture/openedFile.js';
import { ScriptedModel } from '../../../src/agents/models/scriptedModel.js';
import { anApplication } from '../../support/appHost.js';
import { noteOn } from '../../support/noteOn.js';
import { temporaryStore } from '../../support/storeFixture.js';
import { StoryTeller } from '../../support/storyTeller.js';

const cook = agentDefinition({ name: 'Cook', instructions: 'You cook.' });
const PATH = '/home/cook/session.jsonl';

/** A file that is shown where it is, in a window with a store. */
async function shownFile() {
  const model = new ScriptedModel({ name: 'kitchen', agents: new Map() });
  const { stores } = await anApplication({ agents: [cook], model });
  const story = new StoryTeller();
  story.run('Cook', 'Cook!').say('Soup.', 10);
  const session = { source: { tool: 'codex', session: 's1', path: PATH, title: '' }, records: story.records };
  const passing = await temporaryStore();
  stores.addUnlisted(passing);
  const { conversation } = await passing.store.importSession(session);
  const report = { path: PATH, conversations: [{ session: 's1', title: '', conversation }] } as unknown;
  const [mine] = await stores.all();
  if (!mine) throw new Error('The window has a store.');
  return {
    stores,
    passing: passing.store,
    mine: mine.store,
    session,
    conversation,
    report: report as FileReport,
  };
}

test('what is noted where a file is shown goes into the copy that is kept of it', async () => {
  const { stores, passing, mine, session, conversation, report } = await shownFile();
  await noteOn(passing, conversation, 1, { id: 'n1', text: 'Too salty', at: 1 });
  const copy = (await mine.importSession(session)).conversation;
  await keepNotes(stores, report);
  const { notes } = await mine.notes(copy);
  expect(notes.map(({ id, text }) => [id, text])).toEqual([['n1', 'Too salty']]);
  await stores.close();
});

test('without a copy, and without notes, nothing is written', async () => {
  const { stores, passing, mine, session, conversation, report } = await shownFile();
  await keepNotes(stores, report);
  await noteOn(passing, conversation, 1, { id: 'n1', text: 'Too salty', at: 1 });
  await keepNotes(stores, report);
  const copy = (await mine.importSession(session)).conversation;
  expect((await mine.notes(copy)).notes).toEqual([]);
  await stores.close();
});
