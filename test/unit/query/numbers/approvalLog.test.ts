import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readApprovalLog } from '../../../../src/query/numbers/approvalLog.js';
import { pastCalls } from '../../../../src/app/approvals/pastCalls.js';
import { approvalLogText } from '../../../../src/export/approvalLogText.js';
import type { ApprovalLogPage } from '../../../../src/page/protocol/approvals.js';
import { runs } from '../../../support/fixedInputs.js';
import { MemoryTranscript } from '../../../support/memoryTranscript.js';
import { PlayedPage } from '../../../support/playedPage.js';
import { StoryTeller } from '../../../support/storyTeller.js';

type Story = StoryTeller;

/** A story in which an agent calls tools, each decided on as it says. */
function storyOf(
  decisions: readonly {
    tool: string;
    input: object;
    decision: 'approved' | 'denied';
    by: string;
    twice?: boolean;
  }[],
): Story {
  const story = new StoryTeller();
  const call = story.run('Baker', 'Bake.');
  for (const { tool, input, decision, by, twice } of decisions) {
    const id = story.nextToolCallId();
    const asked = { name: tool, arguments: JSON.stringify(input) };
    call.message({
      role: 'assistant',
      content: null,
      tool_calls: [{ id, type: 'function', function: asked }],
    });
    for (let time = 0; time < (twice ? 2 : 1); time++) {
      story.wait(1_000);
      call.add({
        type: 'approval',
        toolName: tool,
        toolCallId: id,
        subject: `${tool} ${JSON.stringify(input)}`,
        decision,
        decidedBy: by as 'user',
        waitedMs: 1_000,
      });
    }
    if (decision === 'approved') {
      story.wait(500);
      call.message({ role: 'tool', tool_call_id: id, content: 'ok' });
    }
  }
  return story;
}

const run = (line: string, decision: 'approved' | 'denied' = 'approved', by = 'user') => ({
  tool: 'run_command',
  input: { command: line },
  decision,
  by,
});

describe('the ledger of a transcript', () => {
  test('says who decided, what exactly, how long it waited, and what came of it', async () => {
    const story = storyOf([run('npm test'), run('rm a', 'denied')]);
    const { entries } = await readApprovalLog(new MemoryTranscript('c', story.records));
    expect(entries).toMatchObject([
      {
        agent: 'Baker',
        tool: 'run_command',
        isApproved: true,
        decidedBy: 'user',
        waitedMs: 1_000,
        outcome: 'done',
        tookMs: 500,
        subject: 'run_command {"command":"npm test"}',
      },
      { isApproved: false, outcome: 'notRun', tookMs: undefined },
    ]);
  });

  test('shows the arguments of a call where a source does not say what was asked', async () => {
    const story = storyOf([run('npm test')]);
    const records = story.records.map((record) =>
      record.type === 'approval' ? { ...record, subject: '' } : record,
    );
    const { entries } = await readApprovalLog(new MemoryTranscript('c', records));
    expect(entries.map(({ subject }) => subject)).toEqual(['{"command":"npm test"}']);
  });

  const anyDecision = fc.record({
    tool: fc.constantFrom('run_command', 'write_file', '=oven', 'read_file'),
    input: fc.record({ command: fc.string(), path: fc.constantFrom('src/a.ts', '../b', '/etc/x', '=1+1') }),
    decision: fc.constantFrom<'approved' | 'denied'>('approved', 'denied'),
    by: fc.constantFrom('user', 'policy', 'remembered', 'rule', 'hook', 'cancel', 'someone else'),
    twice: fc.boolean(),
  });

  test('lists each decision once, in the panel, as CSV, as JSON and by each of its facets', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyDecision, { maxLength: 12 }), async (decisions) => {
        const { records } = storyOf(decisions);
        const positions = records.flatMap(({ type }, at) => (type === 'approval' ? [at] : []));
        const transcript = new MemoryTranscript('c', records);
        const { entries } = await readApprovalLog(transcript);
        expect(entries.map(({ position }) => position)).toEqual(positions);
        const approvalLog = { conversation: 'c', title: 'T', entries };
        const json: unknown = JSON.parse(approvalLogText([approvalLog], 'json').text);
        expect(json).toMatchObject({ decisions: positions.map((position) => ({ position })) });
        expect(approvalLogText([approvalLog], 'csv')).toMatchObject({ decisions: positions.length });
        const page = await panelOf(transcript);
        expect(page.rows.map(({ position }) => position)).toEqual(positions);
        expect(page.approved + page.denied).toBe(positions.length);
        for (const values of Object.values(page.facets))
          expect(values.reduce((sum, { count }) => sum + count, 0)).toBe(positions.length);
      }),
      { numRuns: runs(30) },
    );
  });

  test('as CSV is never a formula, and without secrets unless they are wanted', async () => {
    const key = `sk-proj-${'Zq3v'.repeat(12)}`;
    const story = storyOf([{ ...run(`echo ${key}`), tool: '=cmd()' }]);
    const { entries } = await readApprovalLog(new MemoryTranscript('c', story.records));
    const approvalLog = { conversation: 'c', title: '@SUM(1)', entries };
    const { text, redacted } = approvalLogText([approvalLog], 'csv');
    expect(text.split('\r\n')[1]).toMatch(/^c,'@SUM\(1\),/);
    expect(text).toContain(",'=cmd(),");
    expect([redacted, text.includes(key)]).toEqual([1, false]);
    expect(approvalLogText([approvalLog], 'json', null).text).toContain(key);
  });

  test('gives the calls as rules see them; imports count only where a person says so', async () => {
    const decisions = [
      run('npm test'),
      run('rm a', 'denied'),
      run('ls', 'approved', 'policy'),
      { tool: 'write_file', input: { path: './src/../src/a.ts' }, decision: 'approved', by: 'user' } as const,
      { tool: 'write_file', input: { path: '../../etc/a' }, decision: 'approved', by: 'user' } as const,
      { tool: 'read_file', input: { path: '.env' }, decision: 'approved', by: 'user' } as const,
    ];
    const read = await readApprovalLog(new MemoryTranscript('c', storyOf(decisions).records), () => true);
    const own = { conversation: 'c', title: 'T', ...read };
    expect(pastCalls([own], false)).toEqual([
      { tool: 'run_command', action: { kind: 'command', line: 'npm test' }, how: 'asked' },
      { tool: 'run_command', action: { kind: 'command', line: 'rm a' }, how: 'denied' },
      { tool: 'run_command', action: { kind: 'command', line: 'ls' }, how: 'other' },
      { tool: 'write_file', action: { kind: 'write', path: 'src/a.ts' }, how: 'asked' },
    ]);
    const imported = { ...own, importedFrom: 'claude-code' };
    expect(pastCalls([imported], false)).toEqual([]);
    expect(pastCalls([imported, own], true)).toHaveLength(8);
  });
});

/** What a panel answers about all decisions of a transcript. */
async function panelOf(transcript: MemoryTranscript): Promise<ApprovalLogPage> {
  const page = new PlayedPage(transcript);
  await page.client.ask('ready', {});
  const answer = await page.client.ask('approvals', { filter: {}, start: 0, count: 200 });
  page.session.dispose();
  return answer;
}
