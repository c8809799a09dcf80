import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { agentLogbook } from '../../../support/commandLine.js';
import { claudeFamily } from '../../../support/claudeFamily.js';
import { codexFamily } from '../../../support/codexFamily.js';
import { someOf } from '../../../support/fixedInputs.js';
import { randomNumbers } from '../../../support/randomNumbers.js';
import { writeAt } from '../../../support/sessionHome.js';
import { temporaryFolder } from '../../../support/storeFixture.js';

type Made = Readonly<Record<string, string>>;

const lines = (values: readonly unknown[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('');
const filesOf = (files: readonly { readonly path: string; readonly lines: readonly unknown[] }[]): Made =>
  Object.fromEntries(files.map(({ path, lines: values }) => [path, lines(values)]));

/** The files of subagents where versions of Claude Code before 2.1 had them: beside the session. */
const older = (files: Made): Made =>
  Object.fromEntries(
    Object.entries(files).map(([path, text]) => [path.replace(/[^/]+\/subagents\//, ''), text]),
  );

const said = (role: string, words: string) => ({
  role,
  message: { content: [{ type: 'text', text: words }] },
});
const qwen = (type: string, words: string, more: object = {}) => ({
  uuid: `${type} ${words}`,
  sessionId: 'q1',
  timestamp: '2026-01-01T00:00:01.000Z',
  type,
  message: { role: type === 'assistant' ? 'model' : 'user', parts: [{ text: words }] },
  ...more,
});
const kimi = (words: string, time: number) => [
  { type: 'turn.prompt', input: [{ type: 'text', text: words }], time },
  { type: 'context.append_message', message: { role: 'assistant', content: `Done: ${words}` }, time },
];
const trajectory = (session_id: string, words: string, more: object = {}) => ({
  schema_version: 'ATIF-v1.5',
  session_id,
  agent: { name: 'baker', version: '1' },
  steps: [{ step_id: 1, source: 'user', message: words, ...more }],
});

const FAMILIES: Readonly<Record<string, (seed: number) => Made>> = {
  'Claude Code': (seed) => filesOf(claudeFamily(seed).files),
  'Claude Code, older': (seed) => older(filesOf(claudeFamily(seed).files)),
  Codex: (seed) => filesOf(codexFamily(seed)),
  'Qwen Code': () => ({
    'p/chats/q1.jsonl': lines([qwen('user', 'go'), qwen('assistant', 'gone')]),
    'p/subagents/q1/agent-a.jsonl': lines([
      qwen('user', 'inner', { isSidechain: true, agentId: 'a' }),
      qwen('assistant', 'found', { isSidechain: true, agentId: 'a' }),
    ]),
  }),
  Cursor: () => ({
    'c1/c1.jsonl': lines([said('user', 'go'), said('assistant', 'gone')]),
    'c1/subagents/a.jsonl': lines([said('user', 'inner'), said('assistant', 'found')]),
  }),
  'Kimi Code': () => ({
    'k/agents/main/wire.jsonl': lines(kimi('go', 1_790_000_000_000)),
    'k/agents/agent-0/wire.jsonl': lines(kimi('inner', 1_790_000_001_000)),
  }),
  ATIF: () => ({
    'trajectory.json': JSON.stringify(
      trajectory('t1', 'go', {
        source: 'agent',
        observation: {
          results: [
            {
              content: null,
              subagent_trajectory_ref: [{ session_id: 't2', trajectory_path: 'trajectory.inner.json' }],
            },
          ],
        },
      }),
    ),
    'trajectory.inner.json': JSON.stringify(trajectory('t2', 'inner')),
  }),
};

/** What a store holds: the sessions that it has, with how many messages and tokens each. */
async function held(cwd: string, store: string) {
  const { json } = await agentLogbook(['list', '--store', store, '--json'], { cwd });
  return json
    .map(({ title, messages, tokens, agents }) => JSON.stringify({ title, messages, tokens, agents }))
    .sort();
}

const SEEDS = someOf(
  Array.from({ length: 40 }, (_, seed) => seed),
  1,
);

describe('a family of sessions is the same conversations, in whichever order its files are imported', () => {
  test.each(Object.keys(FAMILIES))('%s', async (name) => {
    const seeds = FAMILIES[name]?.length === 0 ? [0] : SEEDS;
    for (const seed of seeds) {
      const cwd = await temporaryFolder();
      const files = FAMILIES[name]?.(seed) ?? {};
      await mkdir(join(cwd, 'kept'));
      await writeAt(join(cwd, 'kept'), files);
      const paths = Object.keys(files).map((path) => `kept/${path}`);
      await agentLogbook(['import', 'kept', '--store', 'folder'], { cwd });
      const expected = await held(cwd, 'folder');
      expect(expected.length, `seed ${seed}`).toBeGreaterThan(0);
      const together = await agentLogbook(['import', ...paths, '--store', 'together'], { cwd });
      expect(together.code).toBe(0);
      expect(await held(cwd, 'together'), `seed ${seed}, together`).toEqual(expected);
      const random = randomNumbers(seed);
      const anyOrder = paths.map((path) => ({ path, at: random() })).sort((a, b) => a.at - b.at);
      const orders = { ahead: paths, back: paths.toReversed(), any: anyOrder.map(({ path }) => path) };
      for (const [order, each] of Object.entries(orders)) {
        for (const path of each) await agentLogbook(['import', path, '--store', order], { cwd });
        expect(await held(cwd, order), `seed ${seed}, ${order}`).toEqual(expected);
      }
    }
  });
});

test('whoever names a file of a subagent is told what was imported, and nothing of it is told as missing', async () => {
  const cwd = await temporaryFolder();
  const line = (uuid: string, type: string, content: unknown, more: object = {}) => ({
    type,
    uuid,
    sessionId: 's1',
    version: '2.0.60',
    timestamp: '2026-01-01T00:00:00Z',
    message: { role: type, content },
    ...more,
  });
  const side = { isSidechain: true, agentId: 'a1' };
  await writeAt(cwd, {
    's1.jsonl': lines([
      line('u1', 'user', 'Bake'),
      line('u2', 'assistant', [{ type: 'tool_use', id: 't', name: 'Task', input: { prompt: 'Knead' } }]),
      line('u3', 'user', [{ type: 'tool_result', tool_use_id: 't', content: 'ok' }], {
        toolUseResult: { agentId: 'a1' },
      }),
    ]),
    'agent-a1.jsonl': lines([
      line('x1', 'user', 'Knead', side),
      line('x2', 'assistant', [{ type: 'text', text: 'Kneaded' }], side),
    ]),
    // Of another session, whose file is not here.
    'agent-b2.jsonl': lines([line('y1', 'user', 'Stir', { ...side, agentId: 'b2', sessionId: 's2' })]),
  });
  const ran = await agentLogbook(['import', 'agent-a1.jsonl', '--json'], { cwd });
  expect(ran.json).toMatchObject([{ file: 's1.jsonl', session: 's1', outcome: 'new' }]);
  expect(ran.err).toBe(
    'agent-logbook: agent-a1.jsonl is a part of s1.jsonl, which is imported with all its parts.\n',
  );
  const shown = await agentLogbook(['show', 's1.jsonl'], { cwd });
  expect(shown.out).toContain('Kneaded');
  expect(shown.out + shown.err).not.toMatch(/missing|Stir/);
  const alone = await agentLogbook(['import', 'agent-b2.jsonl', '--json'], { cwd });
  expect(alone.json).toMatchObject([{ outcome: 'new', session: 'agent-b2' }]);
  expect(basename(String(alone.json[0]?.file))).toBe('agent-b2.jsonl');
});

const sideLines = (sessionId: string, agentId: string) =>
  lines(
    (['user', 'assistant'] as const).map((type) => ({
      type,
      uuid: `${type} ${agentId}`,
      sessionId,
      version: '2.0.60',
      timestamp: '2026-01-01T00:00:00Z',
      isSidechain: true,
      agentId,
      message: { role: type, content: [{ type: 'text', text: `Knead ${agentId}` }] },
    })),
  );

test.each([
  ['is empty', ''],
  ['is no text', '\0'.repeat(4096)],
])('what subagents said is there where the file of their session %s', async (_what, session) => {
  const cwd = await temporaryFolder();
  await writeAt(cwd, {
    'in/s1.jsonl': session,
    'in/agent-a1.jsonl': sideLines('s1', 'a1'),
    'in/s1/subagents/agent-b2.jsonl': sideLines('s1', 'b2'),
  });
  await agentLogbook(['import', 'in', '--store', 'folder'], { cwd });
  for (const name of ['in/agent-a1.jsonl', 'in/s1/subagents/agent-b2.jsonl'])
    await agentLogbook(['import', name, '--store', 'each'], { cwd });
  for (const store of ['folder', 'each']) {
    const { json } = await agentLogbook(['list', '--store', store, '--json'], { cwd });
    expect(json.map(({ title }) => title).sort()).toEqual(['Knead a1', 'Knead b2']);
  }
});

test('a folder of sessions may be called as that of subagents is', async () => {
  const cwd = await temporaryFolder();
  await writeAt(cwd, {
    'subagents/agent-a1.jsonl': sideLines('s1', 'a1'),
    'subagents/s1.jsonl': sideLines('s1', 's').replaceAll('"isSidechain":true,"agentId":"s",', ''),
  });
  const { json } = await agentLogbook(['import', 'subagents/agent-a1.jsonl', '--json'], { cwd });
  expect(json).toMatchObject([{ file: 'subagents/s1.jsonl', session: 's1' }]);
});

test('threads of which each says that the other started it are one conversation in any order', async () => {
  const cwd = await temporaryFolder();
  const ids = ['019e0000-0000-7000-8000-00000000000a', '019e0000-0000-7000-8000-00000000000b'];
  const names = ids.map((id, at) => `rollout-2026-09-01T10-00-0${at}-${id}.jsonl`);
  const timestamp = '2026-09-01T10:00:00.000Z';
  const rollout = (at: number) =>
    lines([
      { timestamp, type: 'session_meta', payload: { id: ids[at], cwd: '/w', parent_thread_id: ids[1 - at] } },
      {
        timestamp,
        type: 'response_item',
        payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: `Bake ${at}` }] },
      },
    ]);
  await writeAt(cwd, Object.fromEntries(names.map((name, at) => [`in/${name}`, rollout(at)])));
  const orders = { folder: [''], ahead: names, back: names.toReversed() };
  for (const [store, order] of Object.entries(orders))
    for (const name of order) await agentLogbook(['import', `in/${name}`, '--store', store], { cwd });
  const expected = await held(cwd, 'folder');
  expect(expected).toHaveLength(1);
  expect(await held(cwd, 'ahead')).toEqual(expected);
  expect(await held(cwd, 'back')).toEqual(expected);
});
