import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { agentLogbook, folderWith } from '../../../support/commandLine.js';

const SECOND = 1000;
const START = Date.UTC(2026, 8, 1, 10);
const at = (seconds: number) => new Date(START + seconds * SECOND).toISOString();
const lines = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

/** A line of a Claude Code session; answers of the same number are the same answer wherever they stand. */
function line(session: string, number: number, said: { readonly ask: string } | { readonly answer: string }) {
  const uuid = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
  const about = { uuid, sessionId: session, cwd: '/srv/bakery', timestamp: at(number) };
  if ('ask' in said) return { ...about, type: 'user', message: { role: 'user', content: said.ask } };
  const usage = { input_tokens: 10, output_tokens: 20 };
  const content = [{ type: 'text', text: said.answer }];
  const message = { id: `msg_${number}`, role: 'assistant', model: 'claude-sonnet-4-5', content, usage };
  return { ...about, type: 'assistant', requestId: `req_${number}`, message };
}

const [ONE, TWO] = ['11111111-2222-4333-8444-555555555555', '22222222-2222-4333-8444-555555555555'] as const;
const talk = (session: string, from: number, words: string) => [
  line(session, from, { ask: `Bake ${words}` }),
  line(session, from + 1, { answer: `Baked ${words}` }),
];

/** A rollout of Codex of one turn. */
function rollout(id: string, from: number, input: number, more: object = {}): object[] {
  const used = { input_tokens: input, cached_input_tokens: 0, output_tokens: 50, total_tokens: input + 50 };
  const item = (seconds: number, type: string, payload: object) => ({
    timestamp: at(seconds),
    type,
    payload,
  });
  const info = { total_token_usage: used, last_token_usage: used };
  const said = (role: string, text: string) => ({
    type: 'message',
    role,
    content: [{ type: 'input_text', text }],
  });
  return [
    item(from, 'session_meta', {
      id,
      timestamp: at(from),
      cwd: '/srv/bakery',
      originator: 'codex_cli_rs',
      ...more,
    }),
    item(from + 1, 'turn_context', { cwd: '/srv/bakery', model: 'gpt-5' }),
    item(from + 1, 'response_item', said('user', `Bake ${from}`)),
    item(from + 2, 'response_item', said('assistant', `Baked ${from}`)),
    item(from + 2, 'event_msg', { type: 'token_count', info }),
  ];
}

const [PARENT, CHILD] = [
  '019e0000-0000-7000-8000-000000000001',
  '019e0000-0000-7000-8000-000000000002',
] as const;
const spawned = { subagent: { thread_spawn: { parent_thread_id: PARENT, depth: 1, agent_nickname: 'Rye' } } };
const nameOf = (id: string) => `rollout-2026-09-01T10-00-00-${id}.jsonl`;

/** Files that tell the same requests, how many there are in each alone, and in all together. */
const families = [
  {
    name: 'a copy of a Claude Code session that goes on, which names no other',
    files: {
      [`${ONE}.jsonl`]: lines(talk(ONE, 1, 'rye')),
      [`${TWO}.jsonl`]: lines([...talk(TWO, 1, 'rye'), ...talk(TWO, 3, 'spelt')]),
    },
    alone: [1, 2],
    together: { requests: 2, messages: 4, input: 20 },
  },
  {
    name: 'a Claude Code session and the files of its subagents',
    files: {
      [`${ONE}.jsonl`]: lines(talk(ONE, 1, 'rye')),
      [`${ONE}/subagents/agent-a1.jsonl`]: lines(
        talk(ONE, 5, 'rolls').map((each) => ({ ...each, isSidechain: true, agentId: 'a1' })),
      ),
    },
    alone: [2, 1],
    together: { requests: 2, messages: 4, input: 20 },
  },
  {
    name: 'a rollout of Codex and that of its subagent',
    files: {
      [nameOf(PARENT)]: lines(rollout(PARENT, 0, 1000)),
      [nameOf(CHILD)]: lines(rollout(CHILD, 20, 700, { parent_thread_id: PARENT, source: spawned })),
    },
    alone: [2, 1],
    together: { requests: 2, messages: 4, input: 1700 },
  },
  {
    name: 'a rollout of Codex and its copy in the archive',
    files: {
      [`sessions/2026/09/01/${nameOf(PARENT)}`]: lines(rollout(PARENT, 0, 1000)),
      [`archived_sessions/${nameOf(PARENT)}`]: lines(rollout(PARENT, 0, 1000)),
    },
    alone: [1, 1],
    together: { requests: 1, messages: 2, input: 1000 },
  },
];

interface Totals {
  readonly messages: number;
  readonly tokens: { readonly input: number };
  readonly cost: { readonly requests: number };
}

describe.each(families)('$name', ({ files, alone, together }) => {
  const names = Object.keys(files);
  const requestsOf = async (cwd: string, ...wanted: string[]) => {
    const { json } = await agentLogbook(['cost', '--json', ...wanted], { cwd });
    return json.at(-1)?.requests;
  };

  test('each file alone tells its requests, and all together each once, in every order', async () => {
    const cwd = await folderWith(files);
    for (const [index, name] of names.entries()) expect(await requestsOf(cwd, name)).toBe(alone[index]);
    const sums: unknown[] = [];
    for (const order of [names, names.toReversed()]) {
      const { json } = await agentLogbook(['stats', '--json', ...order], { cwd });
      expect(json.slice(0, -1).map(({ file }) => file ?? '')).toHaveLength(order.length);
      const { messages, tokens, cost } = json.at(-1) as unknown as Totals;
      sums.push({ requests: cost.requests, messages, input: tokens.input });
      expect(await requestsOf(cwd, ...order)).toBe(together.requests);
    }
    expect(sums).toEqual([together, together]);
  });

  test('what is said is found once, where it stands in the file', async () => {
    const cwd = await folderWith(files);
    const { json: found } = await agentLogbook(['query', '--json', 'role:assistant Baked', ...names], {
      cwd,
    });
    expect(found).toHaveLength(together.messages / 2);
    for (const { session, position } of found) {
      const all = await Promise.all(
        names.map(async (name) => (await agentLogbook(['show', '--json', name], { cwd })).json),
      );
      const shown = all.flat().find((each) => each.session === session && each.position === position);
      expect(JSON.stringify(shown)).toContain('Baked');
    }
  });
});

test('a row that several sessions tell says where else it stands, in every order', async () => {
  const [copies, , , archived] = families;
  const ask = async (files: Readonly<Record<string, string>>, question: string) => {
    const cwd = await folderWith(files);
    const names = Object.keys(files);
    const answers: unknown[] = [];
    for (const order of [names, names.toReversed()]) {
      const { json } = await agentLogbook(['query', '--json', question, ...order], { cwd });
      const found = json.map(({ session, alsoIn }) => ({ session, alsoIn }));
      answers.push(found.toSorted((a, b) => (String(a.session) < String(b.session) ? -1 : 1)));
    }
    expect(answers[1]).toEqual(answers[0]);
    return { found: answers[0], out: (await agentLogbook(['query', question, ...names], { cwd })).out };
  };
  const { found, out } = await ask(copies?.files ?? {}, 'Baked');
  expect(found).toEqual([
    { session: ONE, alsoIn: [TWO] },
    { session: TWO, alsoIn: undefined },
  ]);
  expect(out.match(/also stands in .*/g)).toEqual([`also stands in ${TWO}`]);
  const copied = await ask(archived?.files ?? {}, 'Baked');
  expect(copied.found).toEqual([{ session: PARENT, alsoIn: [expect.stringContaining(nameOf(PARENT))] }]);
});

test('sessions that only look alike are both counted', async () => {
  const cwd = await folderWith({
    'a.jsonl': lines(rollout(PARENT, 0, 1000)),
    'b.jsonl': lines(rollout(CHILD, 0, 1000)),
  });
  const { json } = await agentLogbook(['stats', '--json', 'a.jsonl', join(cwd, 'b.jsonl')], { cwd });
  expect(json.at(-1)).toMatchObject({ messages: 4, tokens: { input: 2000 } });
});
