import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ApprovalDecider } from '../../../src/agents/loop/approvalDecider.js';
import { replayRun } from '../../../src/app/team/replayRun.js';
import { runs } from '../../support/fixedInputs.js';
import { settle } from '../../support/manualTime.js';
import { MemoryTranscript } from '../../support/memoryTranscript.js';
import { Dice, fastTimers, names, randomAnswer, toolsOf } from '../../support/randomTeam.js';
import { aTeam, linesOf } from '../../support/scriptedTeam.js';
import { StrictModel } from '../../support/strictModel.js';

/** Random teams as the campaign has them; `CAMPAIGN=20000 npx vitest run replayCampaign` for a long night. */
const TEAMS = Number(process.env.CAMPAIGN ?? runs(700));

/** What happened in any of the runs, so that the test knows that it tries what it says. */
const met = new Set<string>();

/** Three runs of a team whose every turn is decided by dice, stopped anywhere; gives all that was recorded. */
async function recorded(seed: number) {
  const dice = new Dice(seed);
  const model = new StrictModel(() => randomAnswer(dice), fastTimers);
  let countdown = Infinity;
  let controller = new AbortController();
  // A person's stop comes between two steps of the event loop, that of a program that is told of something within one.
  let later: (stop: () => void) => void = setImmediate;
  const tick = () => {
    const { signal } = controller;
    const stop = () => void (signal === controller.signal && controller.abort());
    if (--countdown === 0) later(stop);
  };
  const team = aTeam(names, {
    model,
    tools: toolsOf(dice),
    timers: fastTimers,
    maxDepth: 2,
    limits: { steps: 8, calls: 12, fanOut: 4, toolMs: 3_000, repetitions: 4, tokens: 2_000, retries: 2 },
    onEvent: tick,
  });
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
  for (let run = 0; run < 3; run++) {
    controller = new AbortController();
    countdown = dice.of(Infinity, 1 + dice.throw(60));
    later = dice.of<typeof later>(setImmediate, setTimeout, process.nextTick, (stop) => stop());
    const config = { ...team.config, approvals, runApprovalPolicy: 'ask' as const };
    setTimeout(() => controller.abort(), 40).unref();
    await team.session.run(dice.of('go', '', 'on'), { signal: controller.signal, config });
    await settle();
  }
  return team;
}

test(`${TEAMS} random teams, with failures, denials and stops anywhere, replay exactly`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0 }), async (seed) => {
      const { agents, records } = await recorded(seed);
      if (!records.some(({ type }) => type === 'request')) return;
      const { departure, records: replayed } = await replayRun(new MemoryTranscript('c1', records), {
        agents,
      });
      expect(departure && [departure, linesOf(records), linesOf(replayed)]).toBeUndefined();
      for (const record of records) if (record.type === 'callEnd') met.add(record.outcome);
    }),
    { numRuns: TEAMS, endOnFailure: true, timeout: 60_000 },
  );
  expect([...met].sort()).toEqual(['cancelled', 'done', 'failed', 'limited']);
}, 600_000);
