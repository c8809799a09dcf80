import { expect, test } from 'vitest';
import type { Tool } from '../../../../src/core/ports/tool.js';
import { duplicateNames, ToolRegistry } from '../../../../src/agents/tools/toolRegistry.js';
import { toolContext, validator } from './toolHarness.js';

const echo: Tool = {
  name: 'echo',
  description: 'Says it again.',
  parameters: {
    type: 'object',
    properties: { text: { type: 'string' } },
    required: ['text'],
    additionalProperties: false,
  },
  effect: 'read',
  parallel: true,
  execute: ({ text }) => Promise.resolve({ content: String(text) }),
};

const registry = (tool: Partial<Tool> = {}) => new ToolRegistry([{ ...echo, ...tool }], validator);

async function expectError(run: Promise<unknown>, message: string) {
  expect(await run).toMatchObject({ content: expect.stringContaining(message) as string, isError: true });
}

test('a tool runs with its arguments', async () => {
  expect(await registry().execute('echo', '{"text":"hi"}', toolContext())).toEqual({ content: 'hi' });
});

test('the model sees name, description and parameters, and nothing else', () => {
  const { name, description, parameters } = echo;
  expect(registry().specs).toEqual([{ name, description, parameters }]);
});

test.each(['READ_FILE', 'Read_File', 'r\u0435ad_file', '\uff52ead_file'])(
  '%s beside read_file is one name',
  (name) => {
    const tools = [
      { ...echo, name: 'read_file' },
      { ...echo, name },
    ];
    expect(() => new ToolRegistry(tools, validator)).toThrow('More than one tool is named read_file and');
  },
);

test('two tools of one name are refused before anybody is asked', () => {
  expect(duplicateNames([echo, { name: 'other' }, echo])).toEqual(['echo']);
  expect(() => new ToolRegistry([echo, echo], validator)).toThrow('More than one tool is named echo.');
});

test.each([
  ['a call that names none', '', '{}', 'The call does not say which tool it means. There are: echo.'],
  ['an unknown tool', 'sing', '{}', "There is no tool 'sing'. There are: echo."],
  ['a tool named like what every object has', 'constructor', '{}', "There is no tool 'constructor'."],
  ['no JSON', 'echo', '{"text":', 'The arguments are not valid JSON'],
  ['no object', 'echo', '["hi"]', 'The arguments must be one JSON object.'],
  ['a missing argument', 'echo', '{}', "must have required property 'text'"],
  ['a wrong type', 'echo', '{"text":1}', '/text must be string'],
  ['an argument too many', 'echo', '{"text":"a","x":1}', 'must NOT have additional properties'],
  ['deep nesting', 'echo', `{"text":${'['.repeat(300)}${']'.repeat(300)}}`, 'nested deeper than 200'],
])('%s is an error for the model', async (_, name, args, message) => {
  await expectError(registry().execute(name, args, toolContext()), message);
});

test('no text at all means no arguments', async () => {
  const tool = registry({ parameters: { type: 'object' }, execute: async () => ({ content: 'done' }) });
  expect(await tool.execute('echo', '', toolContext())).toEqual({ content: 'done' });
});

test('a tool that throws or rejects is an error for the model', async () => {
  const throwing = registry({
    execute: () => {
      throw new Error('salt is out');
    },
  });
  await expectError(throwing.execute('echo', '{"text":""}', toolContext()), 'echo failed: salt is out');
  const rejecting = registry({ execute: () => Promise.reject(new Error('salt is out')) });
  await expectError(rejecting.execute('echo', '{"text":""}', toolContext()), 'echo failed: salt is out');
});

test('after the signal nothing starts', async () => {
  const never = registry({ execute: () => Promise.reject(new Error('started')) });
  const running = never.execute('echo', '{"text":""}', toolContext({ signal: AbortSignal.abort() }));
  await expectError(running, 'echo was cancelled before it started');
});
