import { APPROVAL_VALUES } from '../../../../src/query/language/fields.js';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { Approvals } from '../../../../src/query/numbers/approvals.js';
import { factsOf } from '../../../../src/query/numbers/facts.js';
import { allUses, FilesTouched } from '../../../../src/query/numbers/filesTouched.js';
import { fileUsesOf } from '../../../../src/query/numbers/fileUses.js';
import { callsOf } from '../../../../src/query/numbers/toolCalls.js';
import { TranscriptReader } from '../../../../src/query/numbers/transcriptReader.js';
import { envelopeOf, messageIn } from '../../../../src/query/numbers/transcriptItem.js';
import { SessionFactsBuilder } from '../../../../src/query/language/sessionFactsBuilder.js';
import { MessageQuestions } from '../../../../src/query/messageQuestions.js';
import { runs } from '../../../support/fixedInputs.js';
import { hasRealTranscripts, realTranscripts } from '../../../support/realTranscripts.js';
import { StoryTeller } from '../../../support/storyTeller.js';
import { teamStory } from '../../../support/teamStory.js';
import { anyItems, anyRecords } from '../arbitraries.js';

function approvalLogsOf(items: readonly unknown[]) {
  const reader = new TranscriptReader();
  const [files, approvals] = [new FilesTouched(), new Approvals()];
  for (const item of items) {
    const reading = reader.next(factsOf(item));
    files.add(reading);
    approvals.add(reading);
  }
  return { files: files.summary(), approvals, decisions: approvals.slice(0, approvals.length) };
}

/** The calls of a session as the query language knows them, which pairs and judges them in its own pass. */
function toolCallsOf(items: readonly unknown[]) {
  const builder = new SessionFactsBuilder();
  for (const item of items) builder.add(item);
  return [...builder.finish({ session: 's' }).toolCalls];
}

/** Every use of every file, by looking at each call again. */
function usesIn(items: readonly unknown[]) {
  return toolCallsOf(items).flatMap(({ askedAt, order, tool, isError, agent = '' }) => {
    if (askedAt === undefined) return [];
    const call = callsOf(messageIn(items[askedAt]) ?? {})[order];
    return fileUsesOf(tool, call?.input).map((use) => ({ ...use, askedAt, isError, agent }));
  });
}

function expectSameFiles(items: readonly unknown[]): void {
  const { files } = approvalLogsOf(items);
  const uses = usesIn(items);
  const paths = [...new Set(uses.map(({ path }) => path))];
  const expected = paths.map((path) => {
    const own = uses.filter((use) => use.path === path);
    const count = (kind: string) => own.filter(({ use }) => use === kind).length;
    return {
      path,
      uses: { read: count('read'), written: count('written'), named: count('named') },
      failures: own.filter(({ isError }) => isError).length,
      agents: [...new Set(own.map(({ agent }) => agent))],
      first: Math.min(...own.map(({ askedAt }) => askedAt)),
      last: Math.max(...own.map(({ askedAt }) => askedAt)),
    };
  });
  expect(files).toEqual(expected);
  const inMessages = new MessageQuestions(items)
    .toolSummary()
    .flatMap(({ toolName, calls }) =>
      calls.flatMap(({ rawArguments }) => fileUsesOf(toolName, rawArguments)),
    );
  expect(files.reduce((sum, file) => sum + allUses(file), 0)).toBe(inMessages.length);
}

function expectSameApprovals(items: readonly unknown[]): void {
  const { approvals, decisions } = approvalLogsOf(items);
  const records = items.flatMap((item, position) => {
    const record = envelopeOf(item);
    return record?.type === 'approval' && !messageIn(item) ? [{ record, position }] : [];
  });
  expect(decisions.map(({ position }) => position)).toEqual(records.map(({ position }) => position));
  const approved = records.filter(({ record }) => record.decision === 'approved').length;
  expect(approvals.totals()).toMatchObject({ approved, denied: records.length - approved });
  const calls = toolCallsOf(items);
  for (const { isApproved, askedAt, answeredAt, outcome } of decisions) {
    if (!isApproved) expect(outcome).toBe('notRun');
    if (askedAt === undefined) {
      expect(answeredAt).toBeUndefined();
      continue;
    }
    expect(calls.some((call) => call.askedAt === askedAt && call.answeredAt === answeredAt)).toBe(true);
    if (outcome === 'unknown') expect(answeredAt).toBeUndefined();
  }
  const ofCalls = calls.flatMap((call) =>
    call.decisions.filter((each) => (APPROVAL_VALUES as readonly string[]).includes(each)),
  );
  const paired = new Set(decisions.flatMap(({ askedAt }) => askedAt ?? []));
  expect(ofCalls.length === 0).toBe(paired.size === 0);
}

const path = fc.constantFrom('src/a.ts', 'b.ts', '', 'é.md', 'C:\\x.txt', 'bad\npath');
const fileArguments = fc.oneof(
  fc
    .record(
      {
        path,
        file_path: fc.oneof(path, fc.jsonValue()),
        paths: fc.array(path),
        command: fc.constantFrom('view', 'create', 'ls -l'),
        input: fc.constant('*** Begin Patch\n*** Update File: b.ts\n*** Add File: new.ts\n*** End Patch'),
      },
      { requiredKeys: [] },
    )
    .map((value) => JSON.stringify(value)),
  fc.constant('*** Begin Patch\n*** Delete File: b.ts\n*** End Patch'),
  fc.string(),
);
const toolId = fc.constantFrom('a', 'b');
const callPlace = fc.record({ call: fc.constantFrom('k1', 'k2'), agent: fc.constantFrom('Ada', 'Bo') });
const body = fc.oneof(
  fc
    .uniqueArray(
      fc.tuple(toolId, fc.constantFrom('read_file', 'MultiEdit', 'apply_patch', 'think'), fileArguments),
      {
        selector: ([id]) => id,
      },
    )
    .map((calls) => ({
      type: 'message',
      message: {
        role: 'assistant',
        content: null,
        tool_calls: calls.map(([id, name, text]) => ({
          id,
          type: 'function',
          function: { name, arguments: text },
        })),
      },
    })),
  fc.record({
    type: fc.constant('message'),
    message: fc.record({ role: fc.constant('tool'), tool_call_id: toolId, content: fc.string() }),
    isError: fc.boolean(),
    durationMs: fc.nat(50),
  }),
  fc.record(
    {
      type: fc.constant('approval'),
      toolName: fc.constantFrom('read_file', 'x'),
      toolCallId: fc.oneof(toolId, fc.constant('z')),
      decision: fc.constantFrom('approved', 'denied'),
      decidedBy: fc.constantFrom('user', 'policy', 'remembered', 'cancel'),
      rule: fc.string(),
      waitedMs: fc.nat(50),
    },
    { requiredKeys: ['type', 'toolCallId', 'decision'] },
  ),
);
const anyWork = fc
  .array(fc.tuple(callPlace, body), { maxLength: 25 })
  .map((drafts) =>
    drafts.map(([place, rest], at) => ({ seq: at + 1, id: `m${at}`, run: 'r', depth: 0, ...place, ...rest })),
  );

describe.each([
  ['files touched', expectSameFiles],
  ['approvals', expectSameApprovals],
])('%s, read record by record, are what one finds by looking at all of them', (_, expectSame) => {
  it('in any transcript', () => {
    fc.assert(fc.property(fc.oneof(anyWork, anyRecords, anyItems), expectSame), { numRuns: runs(1_000) });
  });

  it('in the story of a team', () => expectSame(teamStory().records));

  it.skipIf(!hasRealTranscripts)(
    'in real transcripts',
    async () => {
      let read = 0;
      for await (const records of realTranscripts()) {
        read++;
        expectSame(records);
      }
      expect(read).toBeGreaterThan(50);
    },
    120_000,
  );
});

test.each([
  ['read_file', { path: 'a' }, 'read'],
  ['mcp__filesystem__write_file', { path: 'a' }, 'written'],
  ['MultiEdit', { file_path: 'a' }, 'written'],
  ['str_replace_based_edit_tool', { command: 'view', path: 'a' }, 'read'],
  ['str_replace_based_edit_tool', { command: 'insert', path: 'a' }, 'written'],
  ['editor', { command: 'create', path: 'a' }, 'written'],
  ['editor', { path: 'a' }, 'named'],
  ['search_replace', { path: 'a' }, 'written'],
  ['apply', { input: '*** Begin Patch\n*** Add File: a\n*** End Patch' }, 'written'],
  ['Grep', { path: 'a', pattern: 'x' }, 'read'],
  ['readThread', { file: 'a' }, 'read'],
] as const)('%s of %j: the file is %s', (tool, args, use) => {
  expect(fileUsesOf(tool, JSON.stringify(args))).toEqual([{ path: 'a', use }]);
});

test('a call that writes a long text names its file nevertheless', () => {
  const text = JSON.stringify({ content: 'x'.repeat(30_000), path: 'long.md' });
  const call = { id: 'c', type: 'function', function: { name: 'write_file', arguments: text } };
  const { files } = approvalLogsOf([{ role: 'assistant', content: null, tool_calls: [call] }]);
  expect(files).toMatchObject([{ path: 'long.md', uses: { written: 1 } }]);
});

/** A command that is decided on as told, and answered as told. */
function decided(decisions: readonly ('approved' | 'denied')[], answer: 'right' | 'wrong' | 'none') {
  const story = new StoryTeller();
  const call = story.run('planner', 'Delete it.');
  const made = call.toolCall('run_command', { command: 'rm -r src' });
  call.say(null, 100, [made]);
  for (const decision of decisions)
    call.add({
      type: 'approval',
      toolName: 'run_command',
      toolCallId: made.id,
      subject: 'rm -r src',
      decision,
      decidedBy: 'user',
      waitedMs: 40,
    });
  if (answer !== 'none') call.answer(made, 'Said.', 10, answer === 'wrong');
  return approvalLogsOf(story.records).decisions;
}

test.each([
  [['approved'], 'right', ['done']],
  [['approved'], 'wrong', ['failed']],
  [['approved'], 'none', ['unknown']],
  [['denied'], 'wrong', ['notRun']],
  [['approved', 'denied'], 'wrong', ['notRun', 'notRun']],
  [['denied', 'approved'], 'right', ['notRun', 'done']],
] as const)('a call that is %j, its result %s: %j', (decisions, answer, outcomes) => {
  const all = decided(decisions, answer);
  expect(all.map(({ outcome }) => outcome)).toEqual(outcomes);
  for (const { tookMs, outcome, waitedMs } of all) {
    expect(waitedMs).toBe(40);
    if (outcome === 'notRun') expect(tookMs).toBeUndefined();
  }
});
