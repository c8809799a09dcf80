import { expect, onTestFinished, test } from 'vitest';
import { silentLog } from '../../../../src/core/ports/log.js';
import { checkArguments } from '../../../../src/surfaces/mcp/checkArguments.js';
import { McpLibrary } from '../../../../src/surfaces/mcp/library.js';
import { readTools } from '../../../../src/surfaces/mcp/readTools.js';
import { bakery, workspaceWith } from '../../../support/commandLine.js';
import { StoryTeller } from '../../../support/storyTeller.js';

/** A session in which a migration is approved, run, and fails; and what happens around it. */
function migration(
  conversation: string,
  outcome: { readonly error?: string; readonly approvedBy: 'user' | 'policy' },
) {
  const story = new StoryTeller(conversation);
  const agent = story.run('Keeper', 'Bring the database of the shop up to date.', { model: 'gpt-5' });
  agent.useTool(
    'read_file',
    { path: 'migrations/0042_orders.sql' },
    'ALTER TABLE orders ADD COLUMN paid boolean;',
  );
  const before = story.records.length;
  agent.useTool('run_in_terminal', { command: 'npm run migrate' }, outcome.error ?? 'Applied 0042_orders.', {
    isError: outcome.error !== undefined,
  });
  const made = story.records
    .slice(before)
    .flatMap((record) => (record.type === 'message' ? (record.message.tool_calls ?? []) : []));
  const at = story.records.findIndex(({ type }, index) => index > before && type === 'message');
  const place = story.records[before]!;
  story.records.splice(at + 1, 0, {
    ...place,
    id: `approval_${conversation}`,
    type: 'approval',
    toolName: 'run_in_terminal',
    toolCallId: made[0]!.id,
    subject: 'npm run migrate',
    decision: 'approved',
    decidedBy: outcome.approvedBy,
    waitedMs: 4_000,
    ...(outcome.approvedBy === 'user' && { reason: 'the backup is there' }),
  } as never);
  agent.say(
    outcome.error === undefined ? 'The migration is done.' : 'The migration failed; nothing was changed.',
  );
  agent.end();
  story.records.forEach((record, index) => Object.assign(record, { seq: index + 1 }));
  return story;
}

const WHY = 'ERROR: column "paid" of relation "orders" already exists';

async function aDay() {
  const cwd = await workspaceWith(
    bakery('20261121-a'),
    migration('20261121-b', { approvedBy: 'policy' }),
    migration('20261121-c', { error: WHY, approvedBy: 'user' }),
    bakery('20261121-d'),
  );
  const { signal } = new AbortController();
  const stdin = () => {
    throw new Error('Nothing is read from here.');
  };
  const library = new McpLibrary({ cwd, signal, stdin, log: silentLog, onProblem: () => undefined }, [], () =>
    Date.parse('2027-01-01'),
  );
  onTestFinished(() => library.close());
  const asked: string[] = [];
  return {
    asked,
    ask: async (name: string, given: object) => {
      asked.push(name);
      const tool = readTools.find((each) => each.name === name)!;
      return library.clean(
        (await tool.run(library, checkArguments(tool, given))) as Record<string, unknown>,
      ) as Record<string, never>;
    },
  };
}

// What somebody who knows nothing of the sessions would ask first.
test.each([
  'migration failed',
  'migrate is:error',
  'the migration that failed',
  'why did the migration fail',
  'tool:run_in_terminal is:error',
])(
  'which session it was, why, what it cost and who approved it, in four calls, begun with %j',
  async (question) => {
    const { ask, asked } = await aDay();
    const found = await ask('search_sessions', { question });
    const near = [found.sessions, found.nearest].flatMap((each) => (each ?? []) as { session: string }[]);
    const { session } = near[0]!;
    expect(session).toBe('20261121-c');
    const overview = await ask('get_session_overview', { session });
    const told = JSON.stringify([found, overview]);
    expect(asked.length).toBeLessThanOrEqual(4);
    expect(told).toContain('already exists');
    expect(told).toContain('"dollars"');
    expect(told).toMatch(/"user"/);
  },
);
