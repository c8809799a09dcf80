import { expect, test } from 'vitest';
import {
  askSessions,
  ModelUnavailable,
  type SessionsQuery,
} from '../../../../src/surfaces/mcp/askSessions.js';
import { McpLibrary } from '../../../../src/surfaces/mcp/library.js';
import { silentLog } from '../../../../src/core/ports/log.js';
import type { Model, ModelEvent, ModelRequest } from '../../../../src/core/ports/model.js';
import { bakery, workspaceWith } from '../../../support/commandLine.js';

const SESSION = '20261121-a';
const KEY = `sk-ant-api03-${'aB3'.repeat(31)}AA`;

/** A model that answers each request with the next of these, and keeps what it was asked. */
function modelSaying(...answers: readonly (readonly ModelEvent[])[]) {
  const requests: ModelRequest[] = [];
  const left = [...answers];
  const model: Model = {
    id: 'test/one',
    label: 'One',
    kind: 'scripted',
    endpoint: 'test',
    async *stream(request) {
      await Promise.resolve();
      requests.push({ ...request, messages: [...request.messages] });
      yield* left.shift() ?? [];
    },
  };
  return { model, requests };
}

const text = (said: string): ModelEvent => ({ type: 'text', text: said });
const calls = (name: string, args: unknown, index = 0): ModelEvent => ({
  type: 'toolCall',
  index,
  id: `c${index}`,
  name,
  arguments: typeof args === 'string' ? args : JSON.stringify(args),
});

async function answered(
  model: Model,
  options: Partial<SessionsQuery> = {},
  story = bakery(SESSION),
): ReturnType<typeof askSessions> {
  const signal = new AbortController().signal;
  const stdin = () => {
    throw new Error('Nothing is read from here.');
  };
  const library = new McpLibrary(
    { cwd: await workspaceWith(story), signal, stdin, log: silentLog, onProblem: () => undefined },
    [],
    () => Date.parse('2027-01-01'),
  );
  const question = 'What failed on Saturday?';
  const asked = { question, before: [], maxTokens: 100_000, signal, onTool: () => undefined, ...options };
  return askSessions(model, library, asked);
}

const READ = calls('read_agent_session', { session: SESSION, part: 'messages' });

test('a model asks the tools, and its answer leads to the messages that it cites', async () => {
  const positions = bakery(SESSION).records.flatMap(({ type }, at) => (type === 'message' ? [at] : []));
  const [first = 0, last = 0] = [positions[0], positions.at(-1)];
  const { model, requests } = modelSaying(
    [READ],
    [
      text(
        `It failed [[${SESSION}#${last}]], then it was said [[${SESSION}#${last}]] [[${SESSION}#${first}]].`,
      ),
    ],
  );
  const { text: said, cited, unread } = await answered(model);
  expect(said).toBe('It failed [1], then it was said [1] [2].');
  expect({ cited, unread }).toEqual({
    cited: [
      { session: SESSION, position: last },
      { session: SESSION, position: first },
    ],
    unread: 0,
  });
  expect(requests[0]?.tools).toHaveLength(3);
  expect(requests[1]?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool']);
  expect(JSON.stringify(requests[1]?.messages.at(-1))).toContain('Why are the cookies so small?');
});

test('a message that was not read is not linked, and that is counted', async () => {
  const { model } = modelSaying([READ], [text(`So it is [[${SESSION}#900]] [[other#1]].`)]);
  const { text: said, unread } = await answered(model);
  expect({ said, unread }).toEqual({ said: 'So it is.', unread: 2 });
});

test('an answer without citations leads to what was read first', async () => {
  const { model } = modelSaying([READ], [text('The edit failed.')]);
  expect((await answered(model)).cited).toEqual([
    { session: SESSION, position: expect.any(Number) as number },
  ]);
});

test('a call that is wrong is told to the model, which may mend it', async () => {
  const { model, requests } = modelSaying(
    [calls('read_agent_session', '{"session":'), calls('read_agent_session', { sesion: SESSION }, 1)],
    [READ],
    [text('It failed.')],
  );
  await answered(model);
  const told = requests[1]?.messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
  expect(told).toEqual([
    'The arguments are no JSON object. Write one, such as {"question":"is:error"}.',
    'There is no argument "sesion"; use session. The argument session is missing. Write {"session":"…"}. The "session" of a result of search_agent_sessions.',
  ]);
});

test('a model that only asks tools must answer in the end', async () => {
  const { model, requests } = modelSaying(...Array.from({ length: 11 }, () => [READ]), [text('Well.')]);
  expect((await answered(model)).text).toBe('Well.');
  expect(requests).toHaveLength(12);
  expect(requests.at(-1)?.tools).toEqual([]);
});

test('what the tools say leaves room for the answer, however many calls a model makes at once', async () => {
  const many = Array.from({ length: 60 }, (_, at) =>
    calls('read_agent_session', { session: SESSION, part: 'messages' }, at),
  );
  const story = bakery(SESSION);
  story.run('Baker', 'x'.repeat(1_900)).say('y'.repeat(1_900));
  const { model, requests } = modelSaying(...Array.from({ length: 11 }, () => many), [text('Well.')]);
  const maxTokens = 12_000;
  await answered(model, { maxTokens }, story);
  expect(requests.length).toBeGreaterThan(1);
  for (const { messages } of requests)
    expect(JSON.stringify(messages).length / 4).toBeLessThanOrEqual(maxTokens);
  expect(requests.at(-1)?.tools).toEqual([]);
});

test('secrets do not reach the model', async () => {
  const story = bakery(SESSION);
  story.run('Baker', `My key is ${KEY}`).say('It is here.');
  const { model, requests } = modelSaying([READ], [text('A key.')]);
  await answered(model, {}, story);
  expect(JSON.stringify(requests)).toContain('My key is');
  expect(JSON.stringify(requests)).not.toContain('aB3aB3');
});

test('what was asked before goes along, and what is read is told', async () => {
  const { model, requests } = modelSaying([READ], [text('Yes.')]);
  const tools: unknown[] = [];
  await answered(model, {
    before: [{ question: 'Who baked?', answer: 'The Baker.' }],
    onTool: (tool, args) => tools.push([tool, args]),
  });
  expect(requests[0]?.messages.map(({ content }) => content).slice(1, 3)).toEqual([
    'Who baked?',
    'The Baker.',
  ]);
  expect(tools).toEqual([['read_agent_session', { session: SESSION, part: 'messages' }]]);
});

test('a model that fails is told as such', async () => {
  const { model } = modelSaying([
    { type: 'error', error: { code: 'x', message: 'No such model.', retryable: false } },
  ]);
  await expect(answered(model)).rejects.toThrow(new ModelUnavailable('No such model.'));
});
