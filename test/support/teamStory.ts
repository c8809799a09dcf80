import { StoryTeller } from './storyTeller.js';

const PNG =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNkYPhfz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC';

/** A team that looks for a fault: dispatches, tools, a failure, approvals, an image, a second run. */
export function teamStory(): StoryTeller {
  const story = new StoryTeller();
  const planner = story.run(
    'planner',
    'The nightly export of invoices fails since Tuesday. Find out why, fix it, and tell me what you changed.',
    {
      system:
        'You are the planner of a small team.\n\nSplit the work, dispatch it, check what comes back. Never change files yourself.\n\n- `researcher` reads code and history\n- `coder` changes files and runs tests\n- `reviewer` reads changes',
    },
  );
  planner.say(
    'I will first have the history searched, then decide.\n\n1. **What changed** since Tuesday\n2. **Where** the export breaks\n3. A fix with a test',
    2_300,
  );
  const research = planner.dispatch(
    'researcher',
    'Find what changed in the invoice export since Tuesday and where it fails. Quote the lines that matter.',
  );
  const researcher = research.child;
  researcher.useTool(
    'search',
    { query: 'exportInvoices', glob: 'src/**/*.ts' },
    'src/export/invoices.ts:12: export async function exportInvoices(range: DateRange) {\nsrc/jobs/nightly.ts:40:   await exportInvoices(lastDay(now));',
    { ms: 64 },
  );
  researcher.useTool(
    'run_command',
    { command: 'git log --oneline --since=2026-11-17 -- src/export' },
    '\u001b[33m4be01f2\u001b[0m feat(export): dates come from Temporal\n\u001b[33m91c2aa0\u001b[0m chore: bump csv-stringify to 6.5',
    { ms: 310, content: 'The job is `nightly.ts`. Let me look at the history.' },
  );
  researcher.add({
    type: 'approval',
    toolName: 'run_command',
    toolCallId: 'call_3',
    subject: 'git log --oneline --since=2026-11-17 -- src/export',
    decision: 'approved',
    decidedBy: 'policy',
    rule: 'read-only command',
    waitedMs: 0,
  });
  researcher.useTool(
    'read_file',
    { path: 'src/export/invoices.ts', line: 12 },
    "export async function exportInvoices(range: DateRange) {\n  const rows = await db.invoices.between(range.start, range.end);\n  return stringify(rows.map(toRow), { header: true });\n}\n\nfunction lastDay(now: Temporal.Instant): DateRange {\n  const day = now.toZonedDateTimeISO('UTC').startOfDay();\n  return { start: day.subtract({ days: 1 }), end: day };\n}",
    { ms: 18 },
  );
  researcher.useTool(
    'read_file',
    { path: 'src/export/dateRange.ts' },
    'No such file: src/export/dateRange.ts',
    { ms: 6, isError: true },
  );
  researcher.say(
    'Since `4be01f2` the range holds `Temporal.ZonedDateTime` values, but `between()` still expects epoch milliseconds:\n\n```ts\nconst rows = await db.invoices.between(range.start, range.end);\n//                                     ^ ZonedDateTime, not a number\n```\n\n`NaN` reaches the query, so it returns **no rows**, and the upload refuses an empty file.',
    3_100,
  );
  researcher.end();
  planner.answer(
    research.call,
    'Since 4be01f2 the range holds ZonedDateTime values, but between() expects epoch milliseconds. NaN reaches the query, no rows come back, and the upload refuses an empty file.',
    12_400,
  );

  const fix = planner.toolCall('subagent_dispatch', {
    agent: 'coder',
    task: 'Convert the range to epoch milliseconds.',
  });
  const review = planner.toolCall('subagent_dispatch', {
    agent: 'reviewer',
    task: 'Review the change to invoices.ts.',
  });
  planner.say(
    'The cause is clear. The coder fixes it while the reviewer prepares the cases that must hold.',
    1_900,
    [fix, review],
  );
  const coder = planner.begin(
    'coder',
    'In `src/export/invoices.ts` convert the range to epoch milliseconds before `between()`. Add a test for the last day of a month. Run the tests.',
    fix,
  );
  const reviewer = planner.begin(
    'reviewer',
    'List the edge cases of a day range in UTC that the fix must hold, then review the change to `src/export/invoices.ts`.',
    review,
  );
  reviewer.say(
    '| case | start | end |\n|---|---|---|\n| end of month | 31st 00:00 | 1st 00:00 |\n| leap day | 29 Feb | 1 Mar |\n| change of year | 31 Dec | 1 Jan |',
    1_500,
  );
  coder.useTool(
    'edit_file',
    {
      path: 'src/export/invoices.ts',
      line: 13,
      old: 'between(range.start, range.end)',
      new: 'between(\n    range.start.epochMilliseconds,\n    range.end.epochMilliseconds,\n  )',
    },
    'Changed 1 place in src/export/invoices.ts',
    { ms: 4_200, content: 'A small change at the one call.' },
  );
  coder.add({
    type: 'approval',
    toolName: 'edit_file',
    toolCallId: 'call_8',
    subject: 'Write src/export/invoices.ts',
    decision: 'approved',
    decidedBy: 'user',
    waitedMs: 3_900,
  });
  reviewer.useTool(
    'read_file',
    { path: 'src/export/invoices.ts' },
    'export async function exportInvoices(range: DateRange) {\n  const rows = await db.invoices.between(\n    range.start.epochMilliseconds,\n    range.end.epochMilliseconds,\n  );',
    { ms: 12 },
  );
  coder.useTool(
    'run_command',
    { command: 'npm test -- export' },
    '\u001b[1m RUN \u001b[0m v4.1.12\n\n \u001b[32m✓\u001b[0m test/export/invoices.test.ts (6 tests) 41ms\n \u001b[31m✗\u001b[0m test/export/upload.test.ts (1 failed)\n   → refuses an empty file: expected 409 but got 422',
    { ms: 6_800, isError: true },
  );
  const helper = coder.dispatch(
    'researcher',
    'Which status does the upload answer for an empty file since 6.5?',
    'One test expects another status. I ask for the history of it.',
  );
  helper.child.say('Since 6.5 it answers **422**; the change log calls it a correction.', 1_400);
  helper.child.end();
  coder.answer(helper.call, 'Since 6.5 it answers 422; the change log calls it a correction.', 2_600);
  coder.useTool(
    'run_command',
    { command: 'npm test -- export' },
    ' ✓ test/export/invoices.test.ts (6 tests) 39ms\n ✓ test/export/upload.test.ts (4 tests) 22ms',
    { ms: 6_100 },
  );
  coder.say('The range is converted, the test of the upload expects 422, all 10 tests pass.', 1_300);
  coder.end();
  planner.answer(
    fix,
    'The range is converted, the test of the upload expects 422, all 10 tests pass.',
    24_000,
  );
  reviewer.say(
    'The change holds all three cases. One remark: `lastDay` should say that it means **UTC**.',
    2_100,
  );
  reviewer.end();
  planner.answer(
    review,
    'The change holds all three cases. One remark: lastDay should say that it means UTC.',
    21_000,
  );
  planner.say(
    '## What was wrong\n\nSince Tuesday the export compared dates with numbers, found no invoices, and the upload refused the empty file.\n\n## What changed\n\n- `src/export/invoices.ts` converts the range to epoch milliseconds\n- `test/export/upload.test.ts` expects **422** for an empty file\n- a new test covers the end of a month\n\n> The reviewer suggests to name UTC in `lastDay`. I left that to you.\n\nSee [Temporal](https://tc39.es/proposal-temporal/docs/) for the types.',
    2_900,
  );
  planner.end();

  story.wait(90_000);
  const second = story.run(
    'planner',
    'Thanks. Do the same for the export of credit notes, here is what the page shows:',
  );
  second.message({
    role: 'user',
    content: [
      { type: 'text', text: 'The picture of the page:' },
      { type: 'image_url', image_url: { url: PNG } },
      { type: 'image_url', image_url: { url: 'https://example.com/tracking.png' } },
    ],
  });
  story.wait(700);
  second.add({
    type: 'request',
    model: 'gpt-5-mini',
    endpoint: 'local',
    attempt: 1,
    durationMs: 700,
    error: { code: 'rate_limit', message: 'Too many requests, try again in 2 seconds', status: 429 },
  });
  second.say(null, 2_600, [], {
    content: 'I look at the credit notes.',
    reasoning_content:
      'The same mistake is likely in every export that uses DateRange. Search for between( first.',
  });
  const failing = second.dispatch('researcher', 'Find all callers of `between(` in src/export.');
  failing.child.useTool('search', { query: 'between(' }, 'Search timed out after 10 s', {
    ms: 10_000,
    isError: true,
  });
  failing.child.add({
    type: 'error',
    where: 'model',
    error: {
      code: 'context_length',
      message: 'The request is larger than the context of the model',
      status: 400,
    },
  });
  failing.child.end('failed', 'the request is larger than the context of the model');
  second.message(
    {
      role: 'tool',
      tool_call_id: failing.call.id,
      content: 'The researcher could not answer: the request is larger than the context of the model.',
    },
    { toolName: 'subagent_dispatch', durationMs: 14_000, isError: true },
  );
  second.useTool('ask_human', '{"question": "Shall I go on', 'Unparsable arguments', { isError: true });
  second.say('I could not finish this: the researcher failed twice', 900);
  second.end('failed', 'the researcher failed');
  return story;
}
