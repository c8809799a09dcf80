import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { MessageRecord, Model, Team, TeamOptions, Tool } from '../../../src/library.js';
import type { ScriptStep } from '../../../src/parts.js';
import * as library from '../../../src/library.js';
import { countMessageTokens } from '../../../src/parts.js';
import { oven } from '../../support/ovenTool.js';

const script: Record<string, ScriptStep[]> = {
  Pickle: [
    { toolCalls: [{ name: 'subagent_dispatch', arguments: { agent_id: 'Cookie', task: 'bake' } }] },
    { text: 'Enjoy.' },
    { expect: { contains: 'more' }, text: 'There is no more.' },
  ],
  Cookie: [{ toolCalls: [{ name: 'oven', arguments: { degrees: 180 } }] }, { text: 'Baked.' }],
};

const kitchen = (options: Partial<TeamOptions> = {}): Team =>
  library.createTeam({
    agents: [
      { name: 'Pickle', instructions: 'You ask others.' },
      { name: 'Cookie', instructions: 'You bake.' },
    ],
    models: new library.ScriptedModel({ name: 'kitchen', agents: new Map(Object.entries(script)) }),
    tools: [oven],
    approvals: 'approveAll',
    ...options,
  });

test('a team answers, its agents call each other, and all that they said is in its log', async () => {
  const team = kitchen();
  expect(await team.run('Bake.')).toMatchObject({ outcome: 'done', text: 'Enjoy.' });
  expect(team.messageLog.forAgent('Cookie').map(({ message }) => message.role)).toEqual([
    'system',
    'user',
    'assistant',
    'tool',
    'assistant',
  ]);
  team.dispose();
});

test('the messages of a session are asked while it goes on, and count by the counter of the team', async () => {
  const team = kitchen({ tokenCounter: { count: (text) => text.length } });
  const session = team.session();
  const { messages } = session;
  expect(messages.length).toBe(0);
  await session.run('Bake.');
  expect(messages.filter({ role: 'tool' })).toHaveLength(2);
  expect(messages.filter({ agent: 'Cookie', role: 'tool' })).toHaveLength(1);
  const before = messages.stats().totalTokens;
  await session.run('Is there more?');
  expect(messages.last(1)).toMatchObject([{ message: { content: 'There is no more.' } }]);
  expect(messages.stats().totalTokens - before).toBeGreaterThanOrEqual(
    'Is there more?There is no more.'.length,
  );
  await session.close();
  team.dispose();
});

test.each([
  ['openai/gpt-4', 'cl100k_base'],
  ['openai/gpt-5', 'o200k_base'],
] as const)('a team without a counter counts by the encoding of its model: %s', async (id, encoding) => {
  const steps = [
    { text: 'Es sind größere Brötchen.', usage: { input: 40, output: 77 } },
    { text: 'Ja, überall.' },
  ];
  const scripted = new library.ScriptedModel({ name: 'kitchen', agents: new Map([['Pickle', steps]]) });
  const models: Model = {
    id,
    label: id,
    kind: 'http',
    endpoint: 'openai',
    stream: (request) => scripted.stream(request),
  };
  const team = library.createTeam({ agents: [{ name: 'Pickle', instructions: 'Antworte.' }], models });
  const session = team.session();
  await session.run('Wie groß sind die Brötchen?');
  await session.run('Überall?');
  const counter = await library.loadTokenCounter(encoding);
  const counted = session.messages
    .all()
    .filter((record): record is MessageRecord => library.isMessageRecord(record))
    .filter(({ message }) => message.content !== 'Es sind größere Brötchen.')
    .map(({ message }) => countMessageTokens({ ...message }, (text) => counter.count(text)));
  expect(counted).toHaveLength(4);
  expect(session.messages.stats()).toMatchObject({
    uncountedMessages: 0,
    // What the provider told stays as it is.
    exactTokens: 77,
    estimatedTokens: counted.reduce((sum, tokens) => sum + tokens, 0),
  });
  await session.close();
  team.dispose();
});

test('sessions of one team know nothing of each other', async () => {
  const team = kitchen();
  const [one, other] = [team.session(), team.session('Cookie')];
  await one.run('Bake.');
  expect(other.messages.length).toBe(0);
  expect(other.history()).toEqual([]);
  expect(team.messageLog.size).toBe(one.messages.length);
  team.dispose();
});

test('what was said stands in the store, durable, as soon as the session is closed', async () => {
  const store = await library.openStore(join(mkdtempSync(join(tmpdir(), 'team-')), '.agent-logbook'), {
    onProblem: ({ title }) => expect.fail(title),
  });
  const team = kitchen({ store });
  const session = team.session();
  await session.run('Bake.');
  await session.close();
  const transcript = await store.openTranscript(session.conversation);
  const stored = (await transcript.read(0, transcript.length)).filter(({ type }) => type === 'message');
  expect(stored).toEqual(session.messages.all());
  await expect(session.run('More.')).rejects.toThrow('is closed');
  await transcript.close();
  await store.close();
  team.dispose();
});

test('closing a session stops what runs, and the stop is in its record', async () => {
  let began = (): void => undefined;
  const baking = new Promise<void>((resolve) => {
    began = resolve;
  });
  const slow: Tool = {
    ...oven,
    execute: (_args, { signal }) =>
      new Promise((resolve) => {
        began();
        signal.addEventListener('abort', () => resolve({ content: 'cold', isError: true }));
      }),
  };
  const team = kitchen({ tools: [slow] });
  const session = team.session('Cookie');
  const run = session.run('Bake.');
  await baking;
  await session.close();
  expect(await run).toMatchObject({ outcome: 'cancelled' });
  team.dispose();
});

test('where nobody can be asked, what would have to be asked is refused', async () => {
  const team = library.createTeam({
    agents: [{ name: 'Cookie', instructions: 'You bake.' }],
    models: new library.ScriptedModel({ name: 'kitchen', agents: new Map(Object.entries(script)) }),
    tools: [oven],
  });
  const session = team.session();
  await session.run('Bake.');
  expect(session.messages.filter({ role: 'tool', content: 'It stays cold.' })).toHaveLength(1);
  team.dispose();
});

test('a person who is asked decides', async () => {
  const asked: string[] = [];
  const team = kitchen({
    approvals: ({ request }) => {
      asked.push(request.title);
      return Promise.resolve({ approved: true });
    },
  });
  await team.run('Bake.');
  expect([asked, team.messageLog.all().some(({ message }) => message.content === '180 degrees')]).toEqual([
    ['Heat'],
    true,
  ]);
  team.dispose();
});

test.each<[string, Partial<TeamOptions>]>([
  ['A team needs at least one agent.', { agents: [] }],
  ['A team needs at least one model.', { models: [] }],
  [
    'Two agents of the team are named Pickle.',
    {
      agents: [
        { name: 'Pickle', instructions: '' },
        { name: 'Pickle', instructions: 'x' },
      ],
    },
  ],
])('a team that cannot be put together says why: %s', (sentence, options) => {
  expect(() => kitchen(options)).toThrow(sentence);
});

test('an agent that is not there is named, with those that are', () => {
  expect(() => kitchen().session('Crumb')).toThrow('The team has no agent named Crumb, only Pickle, Cookie.');
});
