import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { COST_KEYS } from '../../../../src/surfaces/cli/costKeys.js';
import { PROVENANCES, type CostProvenance } from '../../../../src/core/cost.js';
import { dollars, NO_MONEY } from '../../../../src/core/money.js';
import { exportMessages } from '../../../../src/export/exportMessages.js';
import { MessageQuery } from '../../../../src/export/messageQuery.js';
import {
  agentLogbook,
  bakery,
  folderWith,
  messageLines,
  workspaceWith,
} from '../../../support/commandLine.js';
import { costlyRecords } from '../../../support/costlyRecords.js';
import { StoryTeller } from '../../../support/storyTeller.js';
import { teamStory } from '../../../support/teamStory.js';

const money = (amount: number) => dollars(amount) ?? NO_MONEY;

/** A session that says what its source has paid. */
function paid(conversation: string, amount: number): StoryTeller {
  const story = new StoryTeller(conversation);
  const agent = story.run('Baker', 'How much is it?', { model: 'house-model' });
  const usage = { inputTokens: 100, outputTokens: 20, estimated: false, cost: money(amount) };
  agent.message({ role: 'assistant', content: 'So much.' }, { model: 'house-model', usage });
  agent.end();
  return story;
}

test('stats counts what the library counts', async () => {
  const story = bakery();
  const { json, code } = await agentLogbook(['stats', '--json'], { cwd: await workspaceWith(story) });
  const messages = new MessageQuery(story.records).stats();
  expect(code).toBe(0);
  expect(json[0]).toMatchObject({
    kind: 'stats',
    messages: messages.totalMessages,
    errors: 1,
    toolCalls: 3,
    calls: 2,
  });
  expect(json[0]?.byRole).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ name: 'tool', messages: messages.messagesByRole.tool }),
    ]),
  );
  expect(json[1]).toMatchObject({ kind: 'totals', sessions: 1, messages: messages.totalMessages });
});

test('stats tells which files tool calls name, the most used first, and those that failed', async () => {
  const cwd = await workspaceWith(teamStory());
  const { json } = await agentLogbook(['stats', '--json'], { cwd });
  const files = json[0]?.files as { path: string; read: number; written: number; failed: number }[];
  expect(json[0]?.fileCount).toBe(files.length);
  expect(files[0]).toMatchObject({ path: 'src/export/invoices.ts', agents: expect.any(Array) as unknown });
  expect(files).toContainEqual(
    expect.objectContaining({ path: 'src/export/dateRange.ts', read: 1, failed: 1 }),
  );
  const { out } = await agentLogbook(['stats'], { cwd });
  expect(out).toMatch(/FILE +READ +WRITTEN +NAMED +FAILED\nsrc\/export\/invoices\.ts/);
});

test('sessions are counted one by one and together', async () => {
  const cwd = await workspaceWith(paid('20261121-a', 0.5), paid('20261121-b', 0.25));
  const { json } = await agentLogbook(['stats', '--json'], { cwd });
  expect(json.map(({ kind, cost }) => [kind, (cost as { dollars: number }).dollars])).toEqual([
    ['stats', 0.25],
    ['stats', 0.5],
    ['totals', 0.75],
  ]);
  const { out } = await agentLogbook(['stats'], { cwd });
  expect(out).toContain('2 sessions');
  expect(out).toContain('$0.75 recorded by the source (2 requests)');
});

test.each(['messages', 'records', 'agentCalls', 'runs', 'sessions'])(
  'what all %s that are found cost is what the sessions cost, by session and by each value, too',
  async (rows) => {
    const cwd = await workspaceWith(paid('20261121-a', 0.5), paid('20261121-b', 0.25));
    const { json } = await agentLogbook(['search', '--rows', rows, '--json', 'agent:Baker'], { cwd });
    const dollarsOf = (told: unknown) => (told as { cost?: { dollars: number } }).cost?.dollars;
    const facets = json[2]?.facets as { field: string; values: object[] }[];
    expect(json.map(dollarsOf)).toEqual([0.25, 0.5, 0.75]);
    expect(facets.find(({ field }) => field === 'agent')?.values.map(dollarsOf)).toEqual([0.75]);
    const { out, err } = await agentLogbook(['search', '--rows', rows, 'agent:Baker'], { cwd });
    expect(`${out}${err}`).toMatch(/in 2 sessions, \$0\.75/);
  },
);

test.each([
  ['model', 'house-model'],
  ['agent', 'Baker'],
  ['source', 'agent-logbook'],
])('cost is told by %s, with how it is known', async (by, name) => {
  const cwd = await workspaceWith(paid('20261121-a', 0.5), paid('20261121-b', 0.25));
  const { json } = await agentLogbook(['cost', '--by', by, '--json'], { cwd });
  expect(json).toHaveLength(2);
  expect(json[0]).toMatchObject({
    kind: 'cost',
    by,
    name,
    sessions: 2,
    dollars: 0.75,
    provenance: 'exact',
    requests: 2,
  });
  expect(json[1]).toMatchObject({ kind: 'total', dollars: 0.75 });
});

test('what a session cost is the same by every key, in its statistics and in its exports, and known as its worst part is', async () => {
  type Reported = { kind?: string; dollars: number; provenance: CostProvenance | null; requests: number };
  const worst = (all: readonly (Pick<Reported, 'provenance'> | undefined)[]) =>
    PROVENANCES.findLast((each) => all.some((told) => told?.provenance === each)) ?? null;
  // What says nothing is no session.
  const filled = costlyRecords.filter((records) => records.some((record) => 'message' in record));
  await fc.assert(
    fc.asyncProperty(filled, async (records) => {
      const text = exportMessages(records, 'json', { full: true, includeMetadata: true, redact: false });
      const cwd = await folderWith({ 'a.json': text });
      const asked = async (...words: string[]) =>
        (await agentLogbook([...words, 'a.json', '--json'], { cwd })).json;
      const [stats] = await asked('stats');
      const whole = (stats?.cost ?? { dollars: 0, provenance: null, requests: 0 }) as Reported;
      for (const by of COST_KEYS) {
        const lines = (await asked('cost', '--by', by)) as unknown as readonly Reported[];
        const parts = lines.filter(({ kind }) => kind === 'cost');
        const [dollars, requests] = [
          parts.reduce((sum, part) => sum + part.dollars, 0),
          parts.reduce((sum, part) => sum + part.requests, 0),
        ];
        expect({ by, ...lines.at(-1) }).toMatchObject({ by, ...whole });
        // What was wasted is a part of what everything cost; each other key shares all of it out.
        if (by === 'waste') {
          expect(dollars).toBeLessThanOrEqual(whole.dollars + 1e-8);
          expect(requests).toBeLessThanOrEqual(whole.requests);
          continue;
        }
        expect(dollars).toBeCloseTo(whole.dollars, 8);
        expect(requests).toBe(whole.requests);
        expect({ by, worst: worst(parts) }).toEqual({ by, worst: whole.provenance });
      }
      const { out } = await agentLogbook(['export', '--format', 'json', 'a.json'], { cwd });
      const elements = JSON.parse(out) as { cost_usd?: number; cost_provenance?: CostProvenance }[];
      expect(elements.reduce((sum, { cost_usd: part }) => sum + (part ?? 0), 0)).toBeCloseTo(
        whole.dollars,
        8,
      );
      expect(worst(elements.map((each) => ({ provenance: each.cost_provenance ?? null })))).toBe(
        whole.provenance,
      );
    }),
    { numRuns: 6 },
  );
});

test('who only speaks in a history that was sent on is no line of what models cost', async () => {
  const request = {
    model: 'm',
    messages: [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'ho' },
    ],
  };
  const response = {
    choices: [{ message: { role: 'assistant', content: 'ok' } }],
    model: 'm',
    usage: { prompt_tokens: 5, completion_tokens: 2 },
  };
  const cwd = await folderWith({ 'a.jsonl': `${JSON.stringify({ request, response })}\n` });
  const { json } = await agentLogbook(['cost', 'a.jsonl', '--json'], { cwd });
  expect(json.map(({ kind, name }) => `${String(kind)} ${String(name)}`)).toEqual([
    'cost m',
    'total undefined',
  ]);
});

test('what is not known is never zero', async () => {
  const cwd = await folderWith({ 'a.jsonl': messageLines(['user', 'Hello'], ['assistant', 'Hello, you']) });
  const { out } = await agentLogbook(['cost', 'a.jsonl'], { cwd });
  expect(out).not.toMatch(/\$0\b/);
});

test.each(['cost', 'stats', 'show', 'export'])(
  '%s with prices that cannot be read is impossible',
  async (name) => {
    const cwd = await workspaceWith(bakery());
    const gone = await agentLogbook([name, '--prices', 'gone.yaml'], { cwd });
    expect(gone).toMatchObject({ code: 2, out: '' });
    expect(gone.err).toBe('agent-logbook: gone.yaml cannot be read: there is no such file.\n');
    const folder = await agentLogbook([name, '--prices', '.'], { cwd });
    expect(folder).toMatchObject({ code: 2, err: 'agent-logbook: . cannot be read: it is a folder.\n' });
  },
);

test('a file that is named twice is counted once', async () => {
  const cwd = await folderWith({ 'a.jsonl': messageLines(['user', 'Hello'], ['assistant', 'Hello, you']) });
  await symlink('a.jsonl', join(cwd, 'b.jsonl'));
  const names = ['a.jsonl', './a.jsonl', join(cwd, 'a.jsonl'), 'b.jsonl'];
  const { json } = await agentLogbook(['stats', '--json', ...names], { cwd });
  expect(json.at(-1)).toMatchObject({ kind: 'totals', sessions: 1, messages: 2 });
});

test('of a path that is too long the name is shown', async () => {
  const story = new StoryTeller();
  const path = `/a/${'folder/'.repeat(12)}scale.ts`;
  story.run('Baker', 'Why?').useTool('read_file', { path }, 'factor', { ms: 50 });
  const cwd = await workspaceWith(story);
  const { out } = await agentLogbook(['stats'], { cwd, env: { COLUMNS: '60' } });
  expect(out).toMatch(/…[a-z/]+\/scale\.ts /);
});

test('tools are told with their failures', async () => {
  const { json } = await agentLogbook(['tools', '--json'], {
    cwd: await workspaceWith(bakery(), bakery('20261122-b')),
  });
  const calls = Object.fromEntries(
    json.map(({ tool, calls: count, failures }) => [String(tool), [count, failures]]),
  );
  expect(calls).toEqual({ read_file: [2, 0], edit_file: [2, 2], subagent_dispatch: [2, 0] });
});

test('a timeline has a turn for each prompt', async () => {
  const story = bakery();
  story.run('Baker', 'And the muffins?').say('They are fine.');
  const { json } = await agentLogbook(['timeline', '--json'], { cwd: await workspaceWith(story) });
  expect(json.map(({ prompt, answer, errors }) => [prompt, answer, errors])).toEqual([
    ['Why are the cookies so small?', 'They are larger now.', 1],
    ['And the muffins?', 'They are fine.', 0],
  ]);
});

test('a timeline of a file says of no turn that it runs, and tells the work before the first prompt', async () => {
  const cwd = await folderWith({
    'a.jsonl': messageLines(['assistant', 'I go on.'], ['user', 'And the muffins?'], ['assistant', 'Fine.']),
  });
  const { json } = await agentLogbook(['timeline', '--json', 'a.jsonl'], { cwd });
  expect(json).toMatchObject([
    { kind: 'before', messages: 1, toolCalls: 0 },
    { kind: 'turn', prompt: 'And the muffins?', state: 'done' },
  ]);
  const { out } = await agentLogbook(['timeline', 'a.jsonl'], { cwd });
  expect(out).toContain('before the first prompt');
  expect(out).not.toContain('running');
});

describe('what is counted passes the gate', () => {
  const KEY = `sk-ant-api03-${'aB3'.repeat(31)}AA`;
  test.each(['timeline', 'stats', 'cost', 'tools'])('%s', async (command) => {
    const story = new StoryTeller();
    story.run(`Baker ${KEY}`, `Use ${KEY}`, { model: `m ${KEY}` }).say(`I use ${KEY}`);
    const cwd = await workspaceWith(story);
    for (const args of [[command], [command, '--json']]) {
      const { out, code } = await agentLogbook(args, { cwd });
      expect(code).toBe(0);
      expect(out).not.toContain('aB3aB3');
    }
  });
});

test('a source that cannot be read hides no other; alone it is impossible', async () => {
  const cwd = await folderWith({ 'a.jsonl': messageLines(['user', 'Hello']) });
  for (const command of ['stats', 'cost', 'tools']) {
    expect((await agentLogbook([command, 'a.jsonl', 'gone.jsonl'], { cwd })).code).toBe(1);
    expect((await agentLogbook([command, 'gone.jsonl'], { cwd })).code).toBe(2);
  }
});
