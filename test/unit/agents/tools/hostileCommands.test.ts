import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../../src/core/clock.js';
import type { RunApprovalPolicy } from '../../../../src/core/ports/approvals.js';
import { Recorder } from '../../../../src/core/record/recorder.js';
import { ApprovalDecider } from '../../../../src/agents/loop/approvalDecider.js';
import { hostileCommands } from './hostileCommands.js';
import { deny, toolWorkspace } from './toolHarness.js';

/** Which of the commands run without a question; none is ever run here. */
async function letThrough(policy: RunApprovalPolicy, commands: readonly string[]): Promise<string[]> {
  const { call } = await toolWorkspace(
    {
      'a.txt': 'a',
      'b.txt': 'b',
      'run.sh': 'true',
      'src/main.js': '',
      'sub/x.txt': '',
      '.env': 'KEY=1',
      'package.json': '{}',
      'node_modules/.bin/eslint': '',
    },
    { host: { ...process.env, PATH: '/usr/bin:/bin' } },
  );
  const through: string[] = [];
  const decider = new ApprovalDecider({
    policy,
    ask: () => Promise.resolve({ approved: false }),
    messageLog: new Recorder({ conversation: 'c', onListenerFailure: () => undefined }),
    clock: systemClock,
  });
  for (const command of commands) {
    const decide: typeof decider.decide = async (request) => {
      if ((await decider.decide(request)).approved) through.push(command);
      return deny()();
    };
    await call('run_command', { command }, { decide });
  }
  return through;
}

describe.each<RunApprovalPolicy>(['ask', 'approveAll', 'rejectAll'])('with %s', (policy) => {
  test.each(Object.entries(hostileCommands))('no command runs unasked: %s', async (_, commands) => {
    expect(await letThrough(policy, commands)).toEqual([]);
  });
});

test('the list is as long as it says, and says nothing twice', () => {
  const all = Object.values(hostileCommands).flat();
  expect(new Set(all).size).toBe(all.length);
  expect(all.length).toBeGreaterThan(300);
});
