import type { LogRecord } from '../../../../src/core/record.js';
import type { SessionInfo } from '../../../../src/query/language/sessionFacts.js';
import { STORY_START, StoryTeller } from '../../../support/storyTeller.js';

/** A session, and what is known of it besides. */
export interface OtherSession {
  readonly records: readonly LogRecord[];
  readonly info: SessionInfo;
}

const PNG =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNkYPhfz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC';

/** Sessions in which everything is the case of which the session of `docs/query.md` has none. */
export function otherSessions(): readonly OtherSession[] {
  return [dayBefore(), later()];
}

/** It was imported on the day before: the reader edits itself, and at once. */
function dayBefore(): OtherSession {
  const story = new StoryTeller('20261120-093015-0c2a9e5f');
  story.now = STORY_START - 24 * 3_600_000;
  const baker = story.run('Baker', 'Look at the picture.');
  baker.useTool('bash', { command: "rmdir out; 'r*' a; RM b" }, 'done', { ms: 200 });
  const { child, call } = baker.dispatch('Fixer', 'do nothing');
  child.say('Nothing is done.');
  child.end();
  baker.answer(call, 'Nothing is done.');
  const quick = { ms: 10, think: 10 };
  baker.useTool('read_file', { path: 'src/Scale.ts' }, 'factor', quick);
  baker.useTool('edit_file', { path: 'src/Scale.ts' }, 'no such line', { ...quick, isError: true });
  const asked = baker.toolCall('bash', { command: 'ls' });
  baker.say(null, 10, [asked], { reasoning_content: 'What is there?' });
  baker.add({
    type: 'approval',
    toolName: 'bash',
    toolCallId: asked.id,
    subject: 'ls',
    decision: 'denied',
    decidedBy: 'user',
    waitedMs: 10,
  });
  baker.answer(asked, 'It was not allowed.');
  baker.useTool('edit_file', { path: 'src/Scale.ts' }, 'done', quick);
  for (const state of ['cancelled', 'timedOut', 'open'] as const) {
    const call = baker.toolCall('oven', { how: state });
    baker.say(null, 10, [call]);
    baker.message({ role: 'tool', tool_call_id: call.id, content: 'warm' }, { toolName: 'oven', state });
  }
  baker.message({
    role: 'user',
    content: [
      { type: 'text', text: 'Here it is again.' },
      { type: 'image_url', image_url: { url: PNG } },
    ],
  });
  baker.message({ role: 'assistant', content: 'Baked, in turn* ' }, { partial: 'length' });
  // As Claude Code writes what stands for all that was said before.
  const summary = { source: { isCompactSummary: true } } as object;
  baker.message({ role: 'user', content: 'So far: it is baked.' }, summary);
  baker.end();
  const again = story.run('Baker', 'Read it once more.');
  again.useTool('read_file', { path: 'src/Scale.ts' }, 'factor');
  again.end();
  return {
    records: story.records,
    info: { session: 'other', source: 'codex', project: 'bakery', live: true },
  };
}

/** It began after everything else. */
function later(): OtherSession {
  const story = new StoryTeller('20261121-101500-2a9e5f0c');
  story.now = STORY_START + 45 * 60_000;
  story.run('Baker', 'Still there?').end();
  return { records: story.records, info: { session: 'later' } };
}
