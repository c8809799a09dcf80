import type { ApprovalBody } from '../../src/core/record.js';
import { StoryTeller } from './storyTeller.js';

/** A run in which much was decided, and which failed in an agent that another one had asked. */
export function decidedStory(): StoryTeller {
  const story = new StoryTeller();
  const planner = story.run('planner', 'Bring the ferry timetable to the new data source and run the tests.');
  const { child: coder, call } = planner.dispatch('coder', 'Change the reader of the timetable.');
  const use = (
    tool: string,
    args: object,
    decided: Partial<ApprovalBody>,
    result?: string,
    isError = false,
  ) => {
    const asked = coder.toolCall(tool, args);
    coder.say(null, 1_200, [asked]);
    story.wait(decided.waitedMs ?? 0);
    coder.add({
      type: 'approval',
      toolName: tool,
      toolCallId: asked.id,
      subject: Object.values(args).join('\n'),
      decision: 'approved',
      decidedBy: 'user',
      waitedMs: 0,
      ...decided,
    });
    story.wait(800);
    const denied = 'This was not allowed: use the fixture instead.';
    const tookMs = 800 + (decided.waitedMs ?? 0);
    if (result === undefined) coder.answer(asked, denied, tookMs, true, 'denied');
    else coder.answer(asked, result, tookMs, isError);
  };
  use(
    'run_command',
    { command: 'git log --oneline -5' },
    { decidedBy: 'policy', rule: 'only looks (git)' },
    'a1b2c3d Add quay',
  );
  use('write_file', { path: 'src/timetable/reader.ts' }, { waitedMs: 21_400 }, 'Created.');
  use(
    'run_command',
    { command: 'npm test -- --reporter=dot' },
    { decidedBy: 'rule', rule: 'run_command: npm test' },
    '3 failed',
    true,
  );
  use(
    'run_command',
    { command: 'curl -sS https://timetable.example/quays.json -o quays.json' },
    {
      decision: 'denied',
      waitedMs: 8_200,
      rule: 'This always asks: it sends or fetches something (curl).',
      reason: 'use the fixture instead',
    },
  );
  use('edit_file', { path: 'src/timetable/reader.ts' }, { decidedBy: 'remembered' }, 'Changed 1 place.');
  use(
    'run_command',
    { command: 'npm test -- --reporter=dot' },
    { decidedBy: 'rule', rule: 'run_command: npm test' },
    '0 failed',
  );
  for (let time = 0; time < 3; time++)
    coder.useTool('read_file', { path: 'quays.json' }, 'No such quay.', { ms: 700 });
  const compacted = { code: 'compacted', message: 'The model could not read so much.' } as const;
  coder.add({ type: 'error', where: 'model', error: compacted, dropped: 4 });
  story.wait(30_000);
  const lost = { code: 'busy', message: 'The server is overloaded.', status: 529 };
  for (const attempt of [1, 2]) {
    story.wait(1_500);
    coder.add({
      type: 'request',
      model: 'gpt-5-mini',
      endpoint: 'local',
      attempt,
      durationMs: 1_500,
      error: lost,
    });
  }
  coder.add({ type: 'error', where: 'model', error: lost });
  coder.end('failed', lost.message);
  planner.answer(call, lost.message, 60_000, true);
  planner.end('failed', lost.message);
  return story;
}
