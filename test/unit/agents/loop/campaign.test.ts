import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ChatMessage } from '../../../../src/core/message.js';
import type { LogRecord } from '../../../../src/core/record.js';
import { AgentSession } from '../../../../src/agents/loop/agentSession.js';
import { ApprovalDecider } from '../../../../src/agents/loop/approvalDecider.js';
import type { Model } from '../../../../src/core/ports/model.js';
import { OpenAiModel } from '../../../../src/agents/models/openaiModel.js';
import { parseEndpointUrl } from '../../../../src/agents/models/endpoint.js';
import { runs } from '../../../support/fixedInputs.js';
import { sentHistory } from '../../../support/sentHistory.js';
import { Dice, fastTimers, names, randomAnswer, toolsOf } from '../../../support/randomTeam.js';
import { aTeam, type TeamOptions } from '../../../support/scriptedTeam.js';
import { StrictModel, type ChunkAnswer } from '../../../support/strictModel.js';
import { StrictServer } from '../../../support/strictServer.js';
import { settle } from '../../../support/manualTime.js';
import { brokenInvariants, brokenShows } from '../../../support/teamInvariants.js';
import { DONE, refusing, sse, type WireAnswer } from '../../../support/wireAnswers.js';
import { violationOfHistory } from '../../../support/wireRules.js';

/** How many random teams are tried, three runs each; `CAMPAIGN=20000 npx vitest run campaign` for a long night. */
const TEAMS = Number(process.env.CAMPAIGN ?? runs(700));

/** So many teams meet everything that the campaign says it tries. */
const ENOUGH = 700;

/** What has happened in any of the teams, so that the test knows that it tries what it says. */
const met = new Set<string>();

/** A history as a truncated journal or another tool's file may leave it. */
function brokenHistory(dice: Dice): ChatMessage[] {
  return Array.from({ length: dice.throw(8) }, () => {
    const id = dice.of('a', 'b', '');
    const call = {
      id,
      type: 'function',
      function: { name: dice.of('good', 'odd name'), arguments: dice.of('{}', '{"c') },
    } as const;
    return dice.of<ChatMessage>(
      { role: 'user', content: dice.of('hi', '') },
      { role: 'assistant', content: dice.of('so', '', null) },
      { role: 'assistant', content: null, tool_calls: dice.of([call], [call, call], []) },
      { role: 'tool', tool_call_id: id, content: 'found' },
    );
  });
}

/** A team whose every turn is decided by dice, and whatever must hold about it after some runs. */
async function play(seed: number, modelFor: (dice: Dice) => { model: Model; violations: readonly string[] }) {
  const dice = new Dice(seed);
  const { model, violations } = modelFor(dice);
  let countdown = Infinity;
  let controller = new AbortController();
  const tick = () => {
    if (--countdown === 0) controller.abort();
  };
  const options: TeamOptions = {
    model,
    tools: toolsOf(dice),
    timers: fastTimers,
    maxDepth: 2,
    limits: { steps: 8, calls: 12, fanOut: 4, toolMs: 3_000, repetitions: 4, tokens: 2_000, retries: 2 },
    onEvent: tick,
  };
  const team = aTeam(names, options);
  const approvals = new ApprovalDecider({
    messageLog: team.recorder,
    clock: team.config.clock,
    onEvent: tick,
    ask: async () => {
      await settle();
      if (dice.throw(8) === 0) throw new Error('nobody there');
      return dice.throw(8) === 0
        ? new Promise(() => undefined)
        : { approved: dice.throw(2) === 0, remember: dice.throw(4) > 0 };
    },
  });
  team.recorder.onDidRecord(tick);
  let { session } = team;
  for (let run = 0; run < 3; run++) {
    if (dice.throw(4) === 0) session.update(brokenHistory(dice));
    if (run > 0 && dice.throw(4) === 0) {
      session = new AgentSession('c1', team.agents[0]!, team.config);
      session.update(afterKill(team.records, dice));
      met.add('restarted');
    }
    controller = new AbortController();
    countdown = dice.of(Infinity, 1 + dice.throw(60));
    const config = { ...team.config, approvals, runApprovalPolicy: 'ask' as const };
    setTimeout(() => controller.abort(), 40).unref();
    const result = await session.run(dice.of('go', '', 'on'), { signal: controller.signal, config });
    const count = team.records.length;
    await settle();
    expect(team.records.length, 'nothing is said after the end').toBe(count);
    expect(result.outcome === 'done').toBe(result.error === undefined);
  }
  const refused = team.records.filter(
    (record) => record.type === 'dispatch' && record.refused !== undefined && record.depth === 0,
  );
  expect(violations).toEqual([]);
  expect(brokenInvariants(team.records)).toEqual([]);
  expect(brokenShows(team.frontend.lines, refused.length)).toEqual([]);
  expect(team.log.lines.filter((line) => line.startsWith('error'))).toEqual([]);
  expect(team.config.scheduler.load).toEqual({ held: 0, waiting: 0 });
  const spent = team.config.usage.all();
  expect(sumOfRuns(team.records)).toBe(spent.inputTokens + spent.outputTokens);
  for (const record of team.records) {
    if (record.type === 'callEnd') met.add(`${record.outcome} at depth ${record.depth}`);
    if (record.type === 'approval') met.add(`${record.decision} by ${record.decidedBy}`);
    if (record.type === 'request' && record.error) met.add(`request failed with ${record.error.code}`);
  }
  return session;
}

/** What the entry agent remembers when the process was killed after any of the records. */
function afterKill(records: readonly LogRecord[], dice: Dice): ChatMessage[] {
  return records
    .slice(0, dice.throw(records.length + 1))
    .filter((record) => record.depth === 0)
    .flatMap((record) => (record.type === 'message' ? [record.message] : []));
}

function sumOfRuns(records: ReturnType<typeof aTeam>['records']): number {
  return records.reduce(
    (sum, record) =>
      record.type === 'callEnd' && record.depth === 0
        ? sum + record.totalUsage.inputTokens + record.totalUsage.outputTokens
        : sum,
    0,
  );
}

test(`${TEAMS} random teams, with failures, denials, cancels and kills anywhere, never break the protocol`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0 }), async (seed) => {
      await play(seed, (dice) => {
        const model = new StrictModel(() => randomAnswer(dice), fastTimers);
        return { model, violations: model.violations };
      });
    }),
    { numRuns: TEAMS, endOnFailure: true, timeout: 60_000 },
  );
  if (TEAMS < ENOUGH) return;
  const outcomes = ['done', 'failed', 'limited', 'cancelled'];
  const expected = [
    ...[0, 1].flatMap((depth) => outcomes.map((outcome) => `${outcome} at depth ${depth}`)),
    'done at depth 2',
    'cancelled at depth 2',
    'failed at depth 2',
    'approved by user',
    'approved by remembered',
    'denied by user',
    'denied by cancel',
    ...['http', 'rateLimit', 'cutStream', 'cancelled'].map((code) => `request failed with ${code}`),
    'restarted',
  ];
  expect(expected.filter((one) => !met.has(one))).toEqual([]);
}, 600_000);

test(`${Math.ceil(TEAMS / 20)} random teams over real sockets never break the protocol either`, async () => {
  let dice = new Dice(1);
  await using server = await StrictServer.start(() => wireAnswer(randomAnswer(dice)));
  const url = parseEndpointUrl(server.url);
  if (typeof url === 'string') throw new Error(url);
  const endpoint = { name: 'here', url, limits: { idleMs: 2_000, firstByteMs: 2_000 } };
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0 }), async (seed) => {
      await play(seed, (thrown) => {
        dice = thrown;
        const model = new OpenAiModel({ endpoint, model: 'm', timers: fastTimers });
        return { model, violations: server.violations };
      });
    }),
    { numRuns: Math.ceil(TEAMS / 20), endOnFailure: true, timeout: 60_000 },
  );
}, 600_000);

function wireAnswer({ status, chunks = [], then }: ChunkAnswer): WireAnswer {
  if (status !== undefined) return refusing(status, 'refused');
  return { pieces: [...chunks.map(sse), ...(then ? [] : [DONE])], ...(then && { then }) };
}

test('a history that a run leaves can always be sent again', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0 }), async (seed) => {
      const session = await play(seed, (dice) => {
        const model = new StrictModel(() => randomAnswer(dice), fastTimers);
        return { model, violations: model.violations };
      });
      expect(violationOfHistory(sentHistory(session.get()))).toBeUndefined();
    }),
    { numRuns: runs(40), endOnFailure: true, timeout: 60_000 },
  );
}, 600_000);
