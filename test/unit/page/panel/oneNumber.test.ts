import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { requestsOf } from '../../../../src/core/cost.js';
import type { RecordBody } from '../../../../src/core/record.js';
import type { Moment } from '../../../../src/query/numbers/moments.js';
import { tokensOf } from '../../../../src/query/numbers/tokens.js';
import { factsOf } from '../../../../src/query/numbers/facts.js';
import { exportMessages } from '../../../../src/export/exportMessages.js';
import { NO_PRICES } from '../../../../src/core/ports/prices.js';
import { QuestionRun } from '../../../../src/page/panel/filter/questionRun.js';
import { SessionAnswers } from '../../../../src/page/panel/filter/sessionAnswers.js';
import { endsWithin, MAX_TEXT_TEST_MS } from '../../../../src/node/patterns/timeGuard.js';
import { TranscriptProjection } from '../../../../src/page/panel/projection/transcriptProjection.js';
import { RecordReader } from '../../../../src/page/panel/recordReader.js';
import { RowPages } from '../../../../src/page/panel/rows/rowPages.js';
import type { ReadRecord } from '../../../../src/core/ports/transcript.js';
import { NO_QUESTION } from '../../../../src/page/protocol/question.js';
import type { Row } from '../../../../src/page/protocol/row.js';
import { sessionFacts } from '../../../../src/query/language/sessionFactsBuilder.js';
import { MessageQuestions } from '../../../../src/query/messageQuestions.js';
import { addToStored, emptyStored, entryOf } from '../../../../src/store/catalog/conversationSummary.js';
import { anyTeamTranscript } from '../../../support/anyTeamTranscript.js';
import { exportedDurations } from '../../../support/exportedDurations.js';
import { isDeep, runs } from '../../../support/fixedInputs.js';
import { MemoryTranscript } from '../../../support/memoryTranscript.js';
import { hasRealTranscripts, realTranscripts } from '../../../support/realTranscripts.js';
import { scanMemory } from '../../../support/scanMemory.js';
import { StoryTeller } from '../../../support/storyTeller.js';
import { ask, aTeam, aTool, use } from '../../../support/scriptedTeam.js';
import { teamStory } from '../../../support/teamStory.js';

/** Of a request that says nothing of its usage, so that it counts. */
const ANY_USAGE = { inputTokens: 1, outputTokens: 0 };

const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0);
const both = ({ input, output }: { input: number; output: number }): number => input + output;

function momentsOf({ timeline: { moments } }: TranscriptProjection): Moment[] {
  return Array.from({ length: moments.length }, (_, at) => moments.within(at, 0, Infinity) ?? []).flat();
}

/** Everything that somebody may read of one transcript, as each view works it out. */
async function viewsOf(records: readonly ReadRecord[]) {
  const transcript = new MemoryTranscript('c', records);
  const projection = new TranscriptProjection();
  projection.add(records.map(factsOf));
  const { index } = projection;
  const summary = emptyStored();
  for (const record of records) addToStored(summary, record);
  const answers = new SessionAnswers({
    transcript,
    prices: NO_PRICES,
    info: () => ({ session: 'c' }),
    whole: (record) => Promise.resolve(record),
    guard: (work) => endsWithin(MAX_TEXT_TEST_MS, work),
  });
  const failed = new QuestionRun({
    number: 1,
    index,
    answers,
    reached: () => Promise.resolve(),
    question: { ...NO_QUESTION, text: 'is:error' },
    scan: (question, signal, from) => scanMemory(transcript, question, signal, from),
    length: () => records.length,
    onAdvance: () => undefined,
  });
  await failed.looked;
  failed.growList();
  const pages = new RowPages(projection, new RecordReader(transcript));
  const context = { prices: NO_PRICES, hueOf: () => 0, isExpanded: () => false, running: false };
  const rows: Row[] = [];
  while (rows.length < index.length) {
    const numbers = Array.from({ length: index.length - rows.length }, (_, at) => rows.length + at);
    rows.push(...(await pages.rows(numbers, context)));
  }
  return {
    rows,
    calls: index.calls.all,
    statistics: projection.statistics(),
    moments: momentsOf(projection),
    tools: projection.tools.summary(),
    turns: projection.turns.slice(0, projection.turns.length),
    matches: failed.state(index.length).matches,
    listed: entryOf(summary, { conversation: 'c', damaged: 0, bytes: 0, live: false }),
    facts: sessionFacts(records, { session: 'c' }),
    query: new MessageQuestions(records).stats(),
    summary: new MessageQuestions(records).toolSummary(),
    timeline: new MessageQuestions(records).timeline(),
  };
}

type Views = Awaited<ReturnType<typeof viewsOf>>;

/** The messages of each role and agent, as the panel and `MessageQuery` count them. */
function expectSameMessages({ statistics, query }: Views): void {
  const inPanel = (shares: readonly { name: string; messages: number }[]) =>
    Object.fromEntries(
      shares.filter(({ messages }) => messages > 0).map((each) => [each.name, each.messages]),
    );
  expect(inPanel(statistics.byRole)).toEqual(query.messagesByRole);
  const byAgent = Object.entries(query.byAgent).map(([agent, counts]) => [agent, counts.totalMessages]);
  expect(inPanel(statistics.byAgent)).toEqual(Object.fromEntries(byAgent));
}

/** Whether a record is a prompt without content, which a turn of `MessageQuery` does not show. */
function isEmptyPrompt(record: ReadRecord): boolean {
  return (
    record.type === 'message' && JSON.stringify(record.message).startsWith('{"role":"user","content":null')
  );
}

/** The calls of each tool, answered or not, as the panel and `MessageQuery` count them. */
function expectSameTools({ statistics, tools, summary }: Views): void {
  const called = summary.filter(({ callCount }) => callCount > 0);
  const unanswered = called.map(({ calls }) => calls.filter(({ result }) => result === null).length);
  expect(tools.map(({ tool, calls, unanswered: open }) => [tool, calls, open])).toEqual(
    called.map(({ toolName, callCount }, at) => [toolName, callCount, unanswered[at]]),
  );
  expect(statistics.toolCalls).toBe(sum(called.map(({ callCount }) => callCount)));
}

/** How long tools took, in exports, rows and lanes as in the table of tools. */
function expectSameDurations({ tools, rows, moments }: Views, records: readonly ReadRecord[]): void {
  const ofCalls = rows.flatMap((row) => (row.kind === 'tool' || row.kind === 'dispatch' ? [row] : []));
  const exported = exportedDurations(records);
  for (const { tool, total = 0, calls: count, unanswered, waitedMs } of tools) {
    const own = ofCalls.filter((row) => (row.kind === 'tool' ? row.tool === tool : false));
    const written = exported.get(tool) ?? [];
    if (own.length !== count || written.length !== count - unanswered) continue;
    expect(sum(own.map(({ durationMs = 0 }) => durationMs))).toBeCloseTo(total, 5);
    expect(sum(own.map((row) => row.waitedMs ?? 0))).toBe(waitedMs);
    expect(sum(written), `of ${tool}, exported`).toBeCloseTo(total, 5);
  }
  // A lane is no longer than its agent has worked, so its spans may be shorter, never longer.
  for (const { start, end, kind } of moments)
    if (kind === 'tool')
      expect(end - start).toBeLessThanOrEqual(Math.max(0, ...[...exported.values()].flat()) + 1e-6);
}

/** Holds every number of every view against the same number of the others. */
async function expectAgreement(records: readonly ReadRecord[]): Promise<void> {
  const views = await viewsOf(records);
  const { calls, statistics, turns, matches, listed, facts, query } = views;
  const { errors, tokens, byAgent, byModel, messages, runs } = statistics;
  expect({
    filter: matches,
    calls: sum(calls.map((call) => call.errors)),
    isMoreThanTurns: sum(turns.map((turn) => turn.errors)) <= errors,
  }).toEqual({ filter: errors, calls: errors, isMoreThanTurns: true });
  const isReported = query.usage.inputTokens + query.usage.outputTokens > 0;
  expect([listed.messages, query.totalMessages]).toEqual([messages, messages]);
  expect([listed.runs, facts.runs.length]).toEqual([runs, runs]);
  expect([listed.tokens, listed.tokensEstimated]).toEqual([both(tokens), tokens.estimated]);
  if (isReported) {
    expect([query.usage.inputTokens, query.usage.outputTokens]).toEqual([tokens.input, tokens.output]);
    expect(query.usage.estimated).toBe(tokens.estimated);
    expect(sum(byModel.map((model) => both(model.tokens)))).toBe(both(tokens));
  }
  expect(sum(byAgent.map((agent) => both(agent.tokens)))).toBe(both(tokens));
  const refused = records.filter(
    (record) => record.type === 'request' && tokensOf(factsOf(record).usage ?? ANY_USAGE) === undefined,
  );
  expect(sum(byModel.map((model) => model.requests))).toBe(
    sum(byModel.map((model) => requestsOf(model.cost))) + refused.length,
  );
  expectSameMessages(views);
  expectSameTools(views);
  // Each turn of the panel begins with a prompt; what an agent says unasked is no turn of its own there.
  const prompts = views.timeline.filter(({ userContent }) => userContent !== null).length;
  expect(turns).toHaveLength(prompts + records.filter((record) => isEmptyPrompt(record)).length);
  expectSameDurations(views, records);
}

describe('a number is the same wherever it stands', () => {
  it('in any transcript', async () => {
    await fc.assert(fc.asyncProperty(anyTeamTranscript, expectAgreement), { numRuns: runs(300) });
  });

  it('in the story of a team', () => expectAgreement(teamStory().records));

  it('where a conversation was renamed between two runs: that is neither a run nor a call', async () => {
    const story = new StoryTeller();
    story.run('planner', 'One.').say('Yes.');
    const at = { seq: story.records.length + 1, id: 'named', conversation: 'c', time: 5 };
    const nowhere = { run: '', call: '', agent: '', depth: 0 };
    const renamed = { ...at, ...nowhere, type: 'title' as const, title: 'A name' };
    const second = new StoryTeller();
    second.run('planner', 'One.').say('Yes.');
    second.run('planner', 'Two.').say('Yes.');
    const rest = second.records
      .slice(story.records.length)
      .map((record) => ({ ...record, seq: record.seq + 1 }));
    const records = [...story.records, renamed, ...rest];
    await expectAgreement(records);
    const views = await viewsOf(records);
    const { runs, calls } = views.statistics;
    expect({ runs, calls, asked: views.facts.agentCalls.length }).toEqual({ runs: 2, calls: 2, asked: 2 });
    const starts = views.rows.flatMap((row) =>
      row.kind === 'note' && row.note === 'runStart' ? [row.text] : [],
    );
    expect(starts.map((text) => /Run \d/.exec(text)?.[0])).toEqual(['Run 1', 'Run 2']);
  });

  it('where one mishap is told of twice: it is one error', async () => {
    const story = new StoryTeller();
    const call = story.run('planner', 'Delete it.');
    const made = call.toolCall('run_command', { command: 'rm -r src' });
    call.say(null, 100, [made]);
    call.add({
      type: 'approval',
      toolName: 'run_command',
      toolCallId: made.id,
      subject: 'rm -r src',
      decision: 'denied',
      decidedBy: 'user',
      waitedMs: 4_000,
    });
    call.answer(made, 'A person denied this.', 4_010, true);
    const { statistics, tools, rows } = await viewsOf(story.records);
    expect([statistics.errors, tools[0]?.failures]).toEqual([1, 1]);
    expect(rows.at(-1)).toMatchObject({ state: 'denied', durationMs: 10, waitedMs: 4_000 });
    expect(tools[0]).toMatchObject({ total: 10, waitedMs: 4_000 });
  });

  it('where a person was waited for, or nothing but the times of call and result tell it: in pages, too', async () => {
    const story = new StoryTeller();
    const call = story.run('planner', 'Delete it.');
    const asked = call.toolCall('run_command', { command: 'rm -r src' });
    call.say(null, 100, [asked]);
    call.add({
      type: 'approval',
      toolName: 'run_command',
      toolCallId: asked.id,
      subject: 'rm -r src',
      decision: 'approved',
      decidedBy: 'user',
      waitedMs: 4_000,
    });
    call.answer(asked, 'Done.', 4_321, false);
    await expectAgreement(story.records);
    for (const format of ['markdown', 'html'] as const) {
      const text = exportMessages(story.records, format, { full: true });
      expect(text.match(/321 ms/g), format).toHaveLength(1);
      expect(text, format).not.toContain('4.3 s');
    }
  });

  const failure = { code: 'overloaded', message: 'The model is busy.' };
  const request = (attempt: number, error?: typeof failure): RecordBody => ({
    type: 'request',
    model: 'm',
    endpoint: 'e',
    attempt,
    durationMs: 5,
    ...(error && { error }),
  });
  const failing: readonly RecordBody[] = [
    request(1, failure),
    request(2, failure),
    { type: 'message', message: { role: 'assistant', content: 'half a' }, partial: 'error' },
    { type: 'error', where: 'model', error: failure },
  ];
  const spent = { inputTokens: 0, outputTokens: 0, estimated: false };
  const end: RecordBody = {
    type: 'callEnd',
    outcome: 'failed',
    reason: failure.message,
    durationMs: 9,
    ownUsage: spent,
    totalUsage: spent,
  };
  const countedIn = async (records: readonly ReadRecord[]) => {
    await expectAgreement(records);
    const { statistics, matches, calls, turns } = await viewsOf(records);
    return [
      statistics.errors,
      matches,
      sum(calls.map(({ errors }) => errors)),
      sum(turns.map(({ errors }) => errors)),
    ];
  };

  it('where a model fails: its requests, the message, the error and the end of the call are one error', async () => {
    const story = new StoryTeller();
    const call = story.run('planner', 'Go.');
    for (const record of [...failing, end]) call.add(record);
    expect(await countedIn(story.records)).toEqual([1, 1, 1, 1]);
  });

  const notesOf = ({ rows }: Views) =>
    rows.flatMap((row) => (row.kind === 'note' && row.note !== 'runStart' ? [row.text] : []));

  it('where the model of a run refuses the key: one error, one row with its words, in each view', async () => {
    const error = { message: 'Bad key at http://127.0.0.1:9/v1', code: 'auth', status: 401 };
    const team = aTeam(['Ada'], { script: { Ada: [{ error }] } });
    expect(await team.session.run('go')).toMatchObject({ outcome: 'failed' });
    expect(await countedIn(team.records)).toEqual([1, 1, 1, 1]);
    const views = await viewsOf(team.records);
    expect(notesOf(views)).toEqual([
      'Model error: Bad key at http://127.0.0.1:9/v1 (auth, 401)',
      'Run 1 failed',
    ]);
    const failed = views.moments.filter(({ state }) => state === 'failed');
    expect(failed).toHaveLength(1);
  });

  it('where a model fails again and again, the row says each of its words once', async () => {
    const story = new StoryTeller();
    const call = story.run('planner', 'Go.');
    call.add(request(1, { code: 'x', message: 'Slow.' }));
    for (const record of [...failing, end]) call.add(record);
    expect(notesOf(await viewsOf(story.records))).toEqual([
      'Tried 3 times in 5 ms: Request 1 failed: Slow. (x) · Model error: The model is busy. (overloaded)',
      'Run 1 failed',
    ]);
  });

  it('where a model is asked again after a while, the row says how often, how long, and what was waited', async () => {
    const story = new StoryTeller();
    const call = story.run('planner', 'Go.');
    const tried = (attempt: number, durationMs: number) => {
      const body = request(attempt, failure);
      if (body.type === 'request') call.add({ ...body, durationMs });
    };
    tried(1, 500);
    story.wait(2_500);
    tried(2, 500);
    story.wait(4_300);
    tried(3, 300);
    expect(notesOf(await viewsOf(story.records))).toEqual([
      'Tried 3 times in 7.3 s, waited 2.0 s, 4.0 s: Request 3 failed: The model is busy. (overloaded)',
    ]);
  });

  it('where a history is too long for a model, the row also says what was left out', async () => {
    const story = new StoryTeller();
    const call = story.run('planner', 'Go.');
    const left = { code: 'compacted', message: 'It is no longer sent 3 earlier messages.' };
    call.add(request(1, { code: 'contextLength', message: 'Too long.' }));
    call.add({ type: 'error', where: 'model', error: left });
    call.add(request(1));
    call.say('Done.', 10);
    call.add(request(1, failure));
    const views = await viewsOf(story.records);
    expect(notesOf(views)).toEqual([
      'Request 1 failed: Too long. (contextLength) · Model error: It is no longer sent 3 earlier messages. (compacted)',
      'Request 1 failed: The model is busy. (overloaded)',
    ]);
    expect(views.statistics.errors).toBe(2);
  });

  it.each([
    ['while its model speaks', {}, [{ text: 'Once upon a time' }]],
    ['while a tool works', {}, [use('deaf')]],
    ['while the agent that it dispatched works', { Bo: [use('deaf')] }, [ask('Bo', 'go')]],
  ])('where a person stops a run %s: that is no error', async (_when, others, steps) => {
    const controller = new AbortController();
    const deaf = aTool('deaf', () => {
      queueMicrotask(() => controller.abort());
      return new Promise<string>(() => undefined);
    });
    const team = aTeam(['Ada', 'Bo'], {
      script: { ...others, Ada: steps },
      tools: [deaf],
      onEvent: ({ type }) => type === 'textDelta' && controller.abort(),
    });
    expect(await team.session.run('go', { signal: controller.signal })).toMatchObject({
      outcome: 'cancelled',
    });
    expect(await countedIn(team.records)).toEqual([0, 0, 0, 0]);
    const views = await viewsOf(team.records);
    expect(notesOf(views).at(-1)).toBe('Run 1 was stopped');
    expect(views.moments.filter(({ state }) => state === 'failed')).toEqual([]);
    const states = views.rows.flatMap((row) =>
      row.kind === 'tool' || row.kind === 'dispatch' ? [row.state] : [],
    );
    expect(new Set(states)).toEqual(new Set(states.length > 0 ? ['stopped'] : []));
  });

  it('where a model fails, answers and fails again: two errors', async () => {
    const story = new StoryTeller();
    const call = story.run('planner', 'Go.');
    call.add(request(1, failure));
    call.add(request(2));
    call.say('Done that.', 10);
    for (const record of [...failing, end]) call.add(record);
    expect(await countedIn(story.records)).toEqual([2, 2, 2, 2]);
  });

  it.each([
    ['before the result of its dispatch', false],
    ['after the result of its dispatch', true],
  ])(
    'where the model of a dispatched agent fails and its end is recorded %s: one error',
    async (_when, isLate) => {
      const at = { conversation: 'c', run: 'r1', time: 1 };
      const parent = { ...at, call: 'k1', agent: 'planner', depth: 0 };
      const child = { ...at, call: 'k2', parentCall: 'k1', agent: 'coder', depth: 1 };
      const made = { id: 't1', type: 'function', function: { name: 'dispatch', arguments: '{}' } };
      const message = { role: 'tool', tool_call_id: 't1', content: 'It failed.' };
      const result = { ...parent, type: 'message', message, isError: true };
      const ended = { ...child, ...end };
      const bodies = [
        { ...parent, type: 'message', message: { role: 'user', content: 'Go.' } },
        { ...parent, type: 'message', message: { role: 'assistant', content: null, tool_calls: [made] } },
        { ...parent, type: 'dispatch', target: 'coder', task: 'Do it.', toolCallId: 't1', childCall: 'k2' },
        ...failing.map((record) => ({ ...child, ...record })),
        ...(isLate ? [result, ended] : [ended, result]),
      ];
      const records = bodies.map((body, at_) => ({ seq: at_ + 1, id: `m${at_}`, ...body }));
      expect(await countedIn(records)).toEqual([1, 1, 1, 1]);
      const { tools } = await viewsOf(records);
      expect(tools).toMatchObject([{ tool: 'dispatch', failures: 1 }]);
    },
  );

  it('where nobody told the tokens: what models wrote is out, the rest in, calls and reasoning included', async () => {
    const story = new StoryTeller();
    const call = story.run('planner', 'x'.repeat(40));
    const asked = call.toolCall('grep', { query: 'y'.repeat(86) });
    call.message({
      role: 'assistant',
      content: null,
      tool_calls: [asked],
      reasoning_content: 'z'.repeat(40),
    });
    const { statistics } = await viewsOf(story.records);
    const written = Math.ceil(('grep'.length + asked.function.arguments.length) / 4) + 10;
    expect(statistics.tokens).toEqual({ input: 10, output: written, estimated: true });
  });
});

test.skipIf(!hasRealTranscripts)(
  'a number is the same wherever it stands, in real transcripts',
  async () => {
    let read = 0;
    for await (const records of realTranscripts(isDeep ? 1 : 4)) {
      read++;
      await expectAgreement(records);
    }
    expect(read).toBeGreaterThan(12);
  },
  120_000,
);
