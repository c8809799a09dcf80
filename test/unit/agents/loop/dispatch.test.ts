import { expect, test } from 'vitest';
import type { AgentDefinition } from '../../../../src/core/agent.js';
import { textOf } from '../../../../src/core/message.js';
import { UsageCollector } from '../../../../src/agents/loop/usageCollector.js';
import {
  anAgent,
  ask,
  aTeam,
  aTool,
  linesOf,
  PlainExecutor,
  use,
  type TeamOptions,
} from '../../../support/scriptedTeam.js';

/** A run of the first agent, and what the frontend showed of dispatches. */
async function dispatching(
  agents: (string | AgentDefinition)[],
  script: TeamOptions['script'],
  options: TeamOptions = {},
) {
  const team = aTeam(agents, { script: script ?? {}, ...options });
  const result = await team.session.run('go');
  const shown = team.frontend.lines.filter((line) => /^(start|result|failure) /.test(line));
  return { team, result, shown };
}

test('an unknown agent is an error that lists the known ones, without a start', async () => {
  const { shown, result, team } = await dispatching(['Ada', 'Bo', 'Cy'], {
    Ada: [ask('Zed', 'x'), { expect: { role: 'tool', contains: 'Known agents: Bo, Cy.' }, text: 'ok' }],
  });
  expect(result.outcome).toBe('done');
  expect(shown).toEqual(["failure Ada Zed There is no agent 'Zed' that Ada may ask. Known agents: Bo, Cy."]);
  expect(linesOf(team.records)).toContain(
    `0 Ada dispatch Zed refused: There is no agent 'Zed' that Ada may ask. Known agents: Bo, Cy.`,
  );
});

test.each([
  ['itself', 'Ada', {}, 'Ada cannot dispatch itself.'],
  ['itself in other letters', 'ADA', {}, 'ADA cannot dispatch itself.'],
  ['one that its file does not name', 'Bo', { agents: ['Cy'] }, 'Known agents: Cy.'],
  ['anybody, where its file says nobody', 'Bo', { agents: [] }, 'There are no agents to ask.'],
])('an agent cannot ask %s', async (_, target, rest, words) => {
  const { result } = await dispatching(
    [anAgent('Ada', rest), 'Bo', 'Cy'],
    {
      Ada: [ask(target, 'x'), { expect: { role: 'tool', contains: words }, text: 'ok' }],
    },
    { toolsFor: () => [...aTeam(['A', 'B']).config.toolsFor(anAgent('A'), [anAgent('B')])] },
  );
  expect(result).toMatchObject({ outcome: 'done', text: 'ok' });
});

test('an agent that only people may start is not asked', async () => {
  const { result } = await dispatching(['Ada', anAgent('Bo', { modelInvocable: false }), 'Cy'], {
    Ada: [ask('Bo', 'x'), { expect: { role: 'tool', contains: 'Known agents: Cy.' }, text: 'ok' }],
  });
  expect(result.text).toBe('ok');
});

test('a name in other letters is the same agent', async () => {
  const { shown } = await dispatching(['Ada', 'Cookie'], {
    Ada: [ask('cookie', 'bake'), { text: 'ok' }],
    Cookie: [{ text: 'baked' }],
  });
  expect(shown).toEqual(['start Ada Cookie bake', 'result Ada Cookie baked']);
});

test('who may be asked decides whether there is a tool for it', async () => {
  const { team } = await dispatching([anAgent('Ada', { agents: [] }), 'Bo'], { Ada: [{ text: 'alone' }] });
  expect(team.records[0]).toMatchObject({ type: 'callStart', tools: [] });
});

test('a child that fails is an error for its parent and shown once', async () => {
  const { shown, result } = await dispatching(['Ada', 'Bo'], {
    Ada: [ask('Bo', 'x'), { expect: { role: 'tool', contains: 'Bo failed: no power' }, text: 'Then not.' }],
    Bo: [{ text: 'I star', error: { message: 'no power' } }],
  });
  expect(result).toMatchObject({ outcome: 'done', text: 'Then not.' });
  expect(shown).toEqual(['start Ada Bo x', 'failure Ada Bo Bo failed: no power\n\nIt had said: I star']);
});

test('a child whose model is missing is refused before it starts', async () => {
  const { shown, team } = await dispatching(
    ['Ada', anAgent('Bo', { models: ['gone'] })],
    {
      Ada: [ask('Bo', 'x'), { expect: { role: 'tool', contains: 'no gone' }, text: 'ok' }],
    },
    { resolveModel: async () => ({ code: 'noModel', message: 'There is no gone.' }) },
  );
  expect(shown).toEqual(['failure Ada Bo There is no gone.']);
  expect(team.records.filter(({ type }) => type === 'callStart')).toHaveLength(1);
});

test('children at two levels: calls, depths and parents are told apart, inner talk is silent', async () => {
  const { team, shown } = await dispatching(['Ada', 'Bo', 'Cy'], {
    Ada: [ask('Bo', 'a'), { text: 'A' }],
    Bo: [ask('Cy', 'b'), { text: 'B' }],
    Cy: [{ text: 'C' }],
  });
  expect(shown).toEqual(['start Ada Bo a', 'result Ada Bo B']);
  expect(team.childFrontend.lines.filter((line) => line.startsWith('start'))).toEqual(['start Bo Cy b']);
  const starts = team.records.flatMap((record) => (record.type === 'callStart' ? [record] : []));
  expect(starts.map(({ depth, agent }) => `${depth} ${agent}`)).toEqual(['0 Ada', '1 Bo', '2 Cy']);
  expect(starts[0]?.parentCall).toBeUndefined();
  expect(starts[1]?.parentCall).toBe(starts[0]?.call);
  expect(starts[2]?.parentCall).toBe(starts[1]?.call);
  expect(new Set(starts.map(({ run }) => run)).size).toBe(1);
  const dispatches = team.records.flatMap((record) => (record.type === 'dispatch' ? [record] : []));
  expect(dispatches.map(({ childCall }) => childCall)).toEqual([starts[1]?.call, starts[2]?.call]);
  expect(dispatches.map(({ toolCallId }) => toolCallId)).toEqual([
    starts[1]?.toolCallId,
    starts[2]?.toolCallId,
  ]);
});

test('the same agent asked twice at once has two calls, each with its own messages', async () => {
  const both = {
    toolCalls: [...(ask('Bo', 'left').toolCalls ?? []), ...(ask('Bo', 'right').toolCalls ?? [])],
  };
  const { team, result } = await dispatching(['Ada', 'Bo'], {
    Ada: [both, { text: 'both' }],
    Bo: [
      { expect: { contains: 'right' }, text: 'R' },
      { expect: { contains: 'left' }, text: 'L' },
    ],
  });
  expect(result.text).toBe('both');
  const asked = team.model.requests
    .filter(({ agent }) => agent === 'Bo')
    .map(({ messages }) => messages.at(-1)?.content);
  expect(asked).toEqual(['left', 'right']);
  const answers = team.model.requests
    .at(-1)
    ?.messages.slice(-2)
    .map(({ content }) => JSON.parse(textOf(content)) as { result: string });
  expect(answers?.map((answer) => answer.result)).toEqual(['L', 'R']);
});

test('a child keeps nothing from one dispatch to the next', async () => {
  const { team } = await dispatching(['Ada', 'Bo'], {
    Ada: [ask('Bo', 'one'), ask('Bo', 'two'), { text: 'ok' }],
    Bo: [{ text: '1' }, { text: '2' }],
  });
  const sent = team.model.requests
    .filter(({ agent }) => agent === 'Bo')
    .map(({ messages }) => messages.length);
  expect(sent).toEqual([2, 2]);
});

test('blank context is no context', async () => {
  const { team } = await dispatching(['Ada', 'Bo'], {
    Ada: [ask('Bo', 'one', '  '), { text: 'ok' }],
    Bo: [{ text: '1' }],
  });
  expect(team.model.requests[1]?.messages.at(-1)?.content).toBe('one');
});

test('what a run cost is shown as own and as total, each request once', async () => {
  const usage = { input: 10, output: 1 };
  const { result } = await dispatching(['Ada', 'Bo', 'Cy'], {
    Ada: [
      { ...ask('Bo', 'a'), usage },
      { text: 'A', usage },
    ],
    Bo: [
      { ...ask('Cy', 'b'), usage },
      { text: 'B', usage },
    ],
    Cy: [{ text: 'C', usage: { input: 5, output: 5 } }],
  });
  expect(result.ownUsage).toEqual({ inputTokens: 20, outputTokens: 2, estimated: false });
  expect(result.totalUsage).toEqual({ inputTokens: 45, outputTokens: 9, estimated: false });
});

test('an agent uses the model that its file names, its caller its own', async () => {
  const { team } = await dispatching(
    ['Ada', anAgent('Bo', { models: ['inherit'] })],
    {
      Ada: [ask('Bo', 'x'), { text: 'ok' }],
      Bo: [{ text: 'b' }],
    },
    {
      resolveModel: async (agent, inherited) => ({
        ...inherited,
        id: `for ${agent.name}`,
        stream: (request) => inherited.stream(request),
      }),
    },
  );
  const models = team.records.flatMap((record) => (record.type === 'callStart' ? [record.model] : []));
  expect(models).toEqual(['script/test', 'for Bo']);
});

test('tools that cannot even be looked for fail as tools, and their call goes on', async () => {
  const { result, team } = await dispatching(
    ['Ada', 'Bo'],
    { Ada: [ask('Bo', 'x'), { text: 'ok' }], Bo: [use('t'), { text: 'b' }] },
    {
      executorFor: (tools) => ({
        specs: tools,
        find: () => {
          throw new Error('find is broken');
        },
        execute: (name, args, context) => new PlainExecutor(tools).execute(name, args, context),
      }),
      tools: [aTool('t', () => 'x')],
    },
  );
  expect(result).toMatchObject({ outcome: 'done', text: 'ok' });
  expect(team.log.lines).toContain("warn: Looking for the tool 't' failed: find is broken");
});

test('a child that breaks in the runtime itself fails alone', async () => {
  const usage = new UsageCollector();
  usage.add = () => {
    throw new Error('cannot count');
  };
  const script = {
    Ada: [ask('Bo', 'x'), { expect: { role: 'tool' as const, contains: 'cannot count' }, text: 'ok' }],
    Bo: [{ text: 'b', usage: { input: 1, output: 1 } }],
  };
  const { result, team } = await dispatching(['Ada', 'Bo'], script, { usage });
  expect(result).toMatchObject({ outcome: 'done', text: 'ok' });
  expect(linesOf(team.records)).toContain('1 Bo callEnd failed: The call failed: cannot count');
  expect(team.log.lines).toContain('error: The call of Bo failed: cannot count');
});
