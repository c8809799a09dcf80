import { join } from 'node:path';
import { newConversationId } from '../../../src/core/ids.js';
import { silentLog } from '../../../src/core/ports/log.js';
import { TranscriptStore } from '../../../src/store/transcriptStore.js';
import { STORY_START, type StoryTeller } from '../../support/storyTeller.js';

const DAY = 24 * 60 * 60 * 1000;

/** What happened, and how many days ago. */
export interface PastStory {
  readonly title: string;
  readonly daysAgo: number;
  readonly story: StoryTeller;
}

/** Keeps the stories in the store of a workspace; gives their conversations' ids in the same order. */
export async function keepStories(workspace: string, stories: readonly PastStory[]): Promise<string[]> {
  const store = await TranscriptStore.open({
    root: join(workspace, '.agent-logbook'),
    log: silentLog,
    onProblem: ({ title, detail }) => {
      throw new Error(`${title}: ${detail}`);
    },
  });
  const conversations: string[] = [];
  for (const { title, daysAgo, story } of stories) {
    const begun = Date.now() - daysAgo * DAY - (story.now - STORY_START);
    const conversation = newConversationId(begun);
    const journal = await store.createConversation(conversation);
    for (const record of story.records) {
      journal.append({ ...record, conversation, time: record.time - STORY_START + begun });
    }
    const last = story.records.at(-1);
    if (last) {
      const { run, call, agent, depth, time, seq } = last;
      const place = { run, call, agent, depth, time: time - STORY_START + begun };
      journal.append({ ...place, seq: seq + 1, id: 'm_title', conversation, type: 'title', title });
    }
    await journal.close();
    conversations.push(conversation);
  }
  await store.close();
  return conversations;
}
