import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { silentLog } from '../../../src/core/ports/log.js';
import { messageIn, roleOf } from '../../../src/query/numbers/transcriptItem.js';
import { TranscriptStore } from '../../../src/store/transcriptStore.js';
import { noteOn } from '../../support/noteOn.js';
import { SessionSearch } from '../../../src/search/sessionSearch.js';
import { StoryTeller } from '../../support/storyTeller.js';
import { teamStory } from '../../support/teamStory.js';
import { keepStories, type PastStory } from './pastStories.js';

/** A small day of work: an agent reads, edits and tests, and something of it fails. */
function smallStory(agent: string, prompt: string, model: string): StoryTeller {
  const story = new StoryTeller();
  const run = story.run(agent, prompt, { model });
  run.useTool('read_file', { path: 'src/kitchen/oven.ts' }, 'export const temperature = 180;');
  run.useTool(
    'run_command',
    { command: 'rm -rf dist && npm test' },
    'FAIL test/oven.test.ts: expected 180 but got 190',
    {
      ms: 31_000,
      isError: true,
    },
  );
  const { child, call } = run.dispatch('Crumb', 'Which temperature do the cookies need?');
  child.say('190 degrees, for twelve minutes.');
  child.end();
  run.answer(call, '190 degrees, for twelve minutes.');
  run.useTool(
    'edit_file',
    { path: 'src/kitchen/oven.ts', old: '180', new: '190' },
    'Changed 1 place in src/kitchen/oven.ts',
  );
  run.say('The oven is at **190 degrees** now, and the tests pass. The cookies were raw at 180.');
  run.end();
  return story;
}

/** Conversations of several agents, models and days. */
export const SEARCHED: readonly PastStory[] = [
  { title: 'Nightly export of invoices fails', daysAgo: 0.2, story: teamStory() },
  {
    title: 'Why are the cookies raw?',
    daysAgo: 1,
    story: smallStory('Pickle', 'Why are the cookies raw?', 'gpt-5-mini'),
  },
  {
    title: 'Raise the temperature of the oven and tell the whole kitchen about it before Friday',
    daysAgo: 3,
    story: smallStory('Cookie', 'Raise the temperature of the oven.', 'claude-sonnet-5'),
  },
  {
    title: '<img src=x onerror=alert(1)> & "quotes" \u202egnp.exe',
    daysAgo: 6,
    story: smallStory(
      '</script><b>Mallory',
      'Do <script>alert(1)</script> things to the oven.',
      'gpt-5-mini',
    ),
  },
  {
    title: 'Bake',
    daysAgo: 12,
    story: smallStory('Pickle', 'Bake at the right temperature.', 'qwen3-coder:30b'),
  },
];

/** The real search over a store of these conversations, as the extension asks it; to be ended. */
export async function searchOver(stories: readonly PastStory[]): Promise<{
  readonly engine: SessionSearch;
  readonly root: string;
  readonly conversations: readonly string[];
  end(): Promise<void>;
}> {
  const workspace = await mkdtemp(join(tmpdir(), 'searched-'));
  const conversations = await keepStories(workspace, stories);
  const root = join(workspace, '.agent-logbook');
  await noteFirstAnswer(root, conversations[0] ?? '');
  const engine = new SessionSearch({
    script: pathToFileURL('dist/workers/search.js'),
    log: silentLog,
    stores: () => Promise.resolve([{ root, readOnly: false }]),
  });
  return {
    engine,
    root,
    conversations,
    end: async () => {
      engine.dispose();
      await rm(workspace, { recursive: true, force: true });
    },
  };
}

/** Notes something on the first answer in a conversation. */
async function noteFirstAnswer(root: string, conversation: string): Promise<void> {
  const store = await TranscriptStore.open({ root, log: silentLog, onProblem: () => undefined });
  const transcript = await store.openTranscript(conversation);
  const records = await transcript.read(0, transcript.length);
  await transcript.close();
  const answer = records.findIndex((record) => roleOf(messageIn(record) ?? {}) === 'assistant');
  await noteOn(store, conversation, answer, {
    id: 'n1',
    text: 'Was it the migration on Tuesday?',
    at: 1,
  });
  await store.close();
}
