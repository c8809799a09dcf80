import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { newConversationId } from '../../src/core/ids.js';
import { silentLog } from '../../src/core/ports/log.js';
import { TranscriptStore } from '../../src/store/transcriptStore.js';
import { largeTurns } from '../support/largeStory.js';
import { StoryTeller } from '../support/storyTeller.js';

/** Keeps one conversation of so many messages in the store of a workspace; how many bytes its journals have. */
export async function keepLarge(workspace: string, messages: number, title: string): Promise<number> {
  const root = join(workspace, '.agent-logbook');
  const store = await TranscriptStore.open({
    root,
    log: silentLog,
    onProblem: (problem) => {
      throw new Error(`${problem.title}: ${problem.detail}`);
    },
  });
  const conversation = newConversationId(Date.now());
  const journal = await store.createConversation(conversation);
  const story = new StoryTeller(conversation);
  story.add({ run: 'r_1', call: 'k_1', agent: 'planner', depth: 0 }, { type: 'title', title });
  for (const records of largeTurns(story, messages)) {
    for (const record of records.splice(0)) journal.append(record);
    await journal.flush();
  }
  await journal.close();
  await store.close();
  const folder = join(root, 'conversations', conversation);
  const journals = (await readdir(folder)).filter((name) => name.endsWith('.jsonl'));
  const sizes = await Promise.all(journals.map(async (name) => (await stat(join(folder, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
