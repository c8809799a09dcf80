import { expect, test } from 'vitest';
import type { DispatchRequest, DispatchResult } from '../../../../src/core/ports/tool.js';
import { subagentDispatch } from '../../../../src/agents/tools/subagentDispatch.js';
import { ToolRegistry } from '../../../../src/agents/tools/toolRegistry.js';
import { toolContext, validator } from './toolHarness.js';

const team = [
  { name: 'Cookie', description: 'Reads\nfiles.' },
  { name: 'Crumb', description: '' },
];

/** What the caller's model gets, and what was asked for. */
async function dispatch(
  args: object,
  outcome: DispatchResult = { ok: true, result: 'Salt.', session: 'k2' },
) {
  const requests: DispatchRequest[] = [];
  const context = toolContext({
    dispatch: async (request) => {
      requests.push(request);
      return outcome;
    },
  });
  const tool = subagentDispatch(team)!;
  return { requests, context, result: await tool.execute(args as Record<string, unknown>, context) };
}

test('the answer is JSON with the result and the session', async () => {
  const { result, requests, context } = await dispatch({
    agent_id: 'Cookie',
    task: 'Look.',
    context: 'Jar.',
  });
  expect(result).toEqual({ content: '{"result":"Salt.","session_id":"k2"}' });
  expect(requests).toEqual([
    {
      target: 'Cookie',
      task: 'Look.',
      context: 'Jar.',
      toolCallId: 't1',
      caller: context.call,
      signal: context.signal,
    },
  ]);
});

test('without anybody to ask there is no tool', () => {
  expect(subagentDispatch([])).toBeUndefined();
});

test('the schema and the description name whom one may ask', () => {
  const tool = subagentDispatch(team);
  expect(tool?.parameters).toMatchObject({ properties: { agent_id: { enum: ['Cookie', 'Crumb'] } } });
  expect(tool?.description).toContain('- Cookie: Reads files.\n- Crumb: no description');
});

test('an unknown agent is an error that lists the known ones, and nobody is asked', async () => {
  const { result, requests } = await dispatch({ agent_id: 'Ghost', task: 'Boo.' });
  expect(result).toEqual({
    content: "There is no agent 'Ghost' to ask. There are: Cookie, Crumb.",
    isError: true,
  });
  expect(requests).toEqual([]);
});

test('the registry refuses an unknown agent with the known ones too', async () => {
  const registry = new ToolRegistry([subagentDispatch(team)!], validator);
  const result = await registry.execute(
    'subagent_dispatch',
    '{"agent_id":"Ghost","task":"x"}',
    toolContext(),
  );
  expect(result).toMatchObject({
    isError: true,
    content: expect.stringContaining('Cookie, Crumb') as string,
  });
});

test('a child that failed is an error result with its session', async () => {
  const { result } = await dispatch(
    { agent_id: 'Cookie', task: 'Look.' },
    { ok: false, error: 'The model is gone.', session: 'k2' },
  );
  expect(result).toEqual({ content: '{"error":"The model is gone.","session_id":"k2"}', isError: true });
});

test('where nobody can dispatch it says so', async () => {
  const result = await subagentDispatch(team)!.execute({ agent_id: 'Cookie', task: 'Look.' }, toolContext());
  expect(result).toEqual({ content: 'Other agents cannot be asked here.', isError: true });
});
