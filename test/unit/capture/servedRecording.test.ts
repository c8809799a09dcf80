import Anthropic from '@anthropic-ai/sdk';
import { createOpenAI } from '@ai-sdk/openai';
import { SystemMessage, type BaseMessage } from '@langchain/core/messages';
import { tool as langTool } from '@langchain/core/tools';
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt';
import { ChatOpenAI } from '@langchain/openai';
import { Agent, OpenAIChatCompletionsModel, Runner, tool as agentTool } from '@openai/agents';
import { stepCountIs, streamText, tool as aiTool } from 'ai';
import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import OpenAI from 'openai';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { ServedRecording } from '../../../src/capture/proxy/servedRecording.js';
import { proxyBench } from '../../support/proxyBench.js';

const bowl = z.object({ bowl: z.string() });

/** A program that asks models at an address, with as many questions as it is told, and what it was answered. */
type Program = (address: string, questions: readonly string[]) => Promise<readonly string[]>;

/** Runs a program against a server that answers each request, and gives what was recorded and what it was answered. */
async function recorded(program: Program, questions: readonly string[]) {
  let count = 0;
  const bench = await proxyBench(async (request, response) => {
    const body = JSON.parse(await text(request)) as Record<string, unknown>;
    await answer(request.url ?? '', body, ++count, response);
  });
  const said = await program(bench.address, questions);
  await bench.close();
  const recordings = await Promise.all((await bench.paths()).map((path) => readFile(path, 'utf8')));
  return { said, recordings, count };
}

/** Calls the tool where it was not called, else says something that is never said twice. */
async function answer(url: string, body: Record<string, unknown>, count: number, response: ServerResponse) {
  const messages = (body.messages ?? []) as { role: string; content?: unknown }[];
  const isResult = JSON.stringify(messages.at(-1)).includes('is heavy');
  const calls = body.tools !== undefined && !isResult;
  if (url.includes('/messages')) {
    const content = calls
      ? [{ type: 'tool_use', id: `toolu_${count}`, name: 'weigh', input: { bowl: 'red' } }]
      : [{ type: 'text', text: `Answer ${count}` }];
    const stop = calls ? 'tool_use' : 'end_turn';
    const usage = { input_tokens: 1, output_tokens: 1 };
    const message = { id: `msg_${count}`, type: 'message', role: 'assistant', model: 'm', content };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ...message, stop_reason: stop, stop_sequence: null, usage }));
    return;
  }
  const tool_calls = [
    {
      index: 0,
      id: `call_${count}`,
      type: 'function',
      function: { name: 'weigh', arguments: '{"bowl":"red"}' },
    },
  ];
  const finish_reason = calls ? 'tool_calls' : 'stop';
  const said = calls ? { content: null, tool_calls } : { content: `Answer ${count}` };
  const about = { id: `chatcmpl-${count}`, created: 1, model: 'm' };
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  if (body.stream !== true) {
    response.writeHead(200, { 'content-type': 'application/json' });
    const choices = [{ index: 0, message: { role: 'assistant', ...said }, finish_reason }];
    response.end(JSON.stringify({ ...about, object: 'chat.completion', choices, usage }));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const chunk = (delta: object, finish: string | null) =>
    `data: ${JSON.stringify({ ...about, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  response.write(chunk({ role: 'assistant', ...said }, null));
  response.write(chunk({}, finish_reason));
  response.end('data: [DONE]\n\n');
}

const openai: Program = async (address, questions) => {
  const client = new OpenAI({ apiKey: 'k', baseURL: `${address}/openai` });
  const said: string[] = [];
  for (const question of questions) {
    const stream = await client.chat.completions.create({
      model: 'm',
      stream: true,
      messages: [{ role: 'user', content: question }],
    });
    let words = '';
    for await (const { choices } of stream) words += choices[0]?.delta.content ?? '';
    said.push(words);
  }
  return said;
};

const anthropic: Program = async (address, questions) => {
  const client = new Anthropic({ apiKey: 'k', baseURL: `${address}/anthropic` });
  const tools = [{ name: 'weigh', input_schema: { type: 'object' as const } }];
  const said: string[] = [];
  for (const question of questions) {
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: question }];
    for (;;) {
      const { content, stop_reason } = await client.messages.create({
        model: 'm',
        max_tokens: 9,
        messages,
        tools,
      });
      said.push(...content.map((part) => (part.type === 'text' ? part.text : part.type)));
      if (stop_reason !== 'tool_use') break;
      messages.push({ role: 'assistant', content });
      messages.push({
        role: 'user',
        content: content.flatMap((part) =>
          part.type === 'tool_use'
            ? [{ type: 'tool_result' as const, tool_use_id: part.id, content: 'red is heavy' }]
            : [],
        ),
      });
    }
  }
  return said;
};

const vercel: Program = async (address, questions) => {
  const model = createOpenAI({ baseURL: `${address}/openai`, apiKey: 'k' }).chat('m');
  const weigh = aiTool({ description: 'Weighs', inputSchema: bowl, execute: () => 'red is heavy' });
  const said: string[] = [];
  const how = { model, tools: { weigh }, stopWhen: stepCountIs(5), onError: () => undefined };
  for (const prompt of questions) said.push(await streamText({ ...how, prompt }).text);
  return said;
};

const langGraph: Program = async (address, questions) => {
  const configuration = { baseURL: `${address}/openai` };
  const llm = new ChatOpenAI({ model: 'm', apiKey: 'k', maxRetries: 0, configuration });
  const weigh = langTool(() => 'red is heavy', { name: 'weigh', description: 'Weighs', schema: bowl });
  const bound = llm.bindTools([weigh]);
  const agent = new StateGraph(MessagesAnnotation)
    .addNode('model', async ({ messages }: { messages: BaseMessage[] }) => ({
      messages: [await bound.invoke([new SystemMessage('You weigh.'), ...messages])],
    }))
    .addNode('tools', new ToolNode([weigh]))
    .addEdge(START, 'model')
    .addConditionalEdges('model', toolsCondition)
    .addEdge('tools', 'model')
    .compile();
  const said: string[] = [];
  for (const question of questions) {
    const { messages } = await agent.invoke({ messages: [{ role: 'user', content: question }] });
    said.push(String(messages.at(-1)?.content));
  }
  return said;
};

const openaiAgents: Program = async (address, questions) => {
  const client = new OpenAI({ apiKey: 'k', baseURL: `${address}/openai` });
  const weigh = agentTool({
    name: 'weigh',
    description: 'Weighs',
    parameters: bowl,
    execute: () => 'red is heavy',
  });
  const model = new OpenAIChatCompletionsModel(client, 'm');
  const agent = new Agent({ name: 'Weigher', instructions: 'You weigh.', model, tools: [weigh] });
  const runner = new Runner({ tracingDisabled: true });
  const said: string[] = [];
  for (const question of questions) said.push(String((await runner.run(agent, question)).finalOutput));
  return said;
};

const programs: readonly (readonly [string, Program])[] = [
  ['openai', openai],
  ['@anthropic-ai/sdk', anthropic],
  ["Vercel's AI SDK", vercel],
  ['LangGraph', langGraph],
  ['@openai/agents', openaiAgents],
];

/** Four programs of each client, which make twenty. */
const TALKS = [
  ['How heavy?'],
  ['How heavy?', 'And now?'],
  ['How heavy?', 'How heavy?'],
  ['One', 'Two', 'Three'],
];

test.each(programs)(
  'four programs of %s run again against their recordings, and are told the same',
  async (_, program) => {
    for (const questions of TALKS) {
      const { said, recordings, count } = await recorded(program, questions);
      const serving = await ServedRecording.listen(recordings);
      onTestFinished(() => serving.close());
      expect(await program(serving.address, questions)).toEqual(said);
      expect(serving.state).toEqual({ served: count, refused: [], unserved: [] });
    }
  },
  120_000,
);

test.each(programs)(
  'what %s asks besides is refused at once, with what is another',
  async (_, program) => {
    const { recordings } = await recorded(program, ['How heavy?']);
    const serving = await ServedRecording.listen(recordings);
    onTestFinished(() => serving.close());
    await expect(program(serving.address, ['How light?'])).rejects.toThrow();
    const { served, refused, unserved } = serving.state;
    expect(served).toBe(0);
    expect(unserved[0]).toBe(1);
    expect(refused).toHaveLength(1);
    expect(refused[0]).toMatch(/^This is not in the recording\. Request 1 is nearest to it; messages\[\d\]/);
    expect(refused[0]).toContain('How light?');
  },
  120_000,
);

test('of what is another, no part of a secret is told, wherever it is cut', async () => {
  const { recordings } = await recorded(openai, ['How heavy?']);
  const serving = await ServedRecording.listen(recordings);
  onTestFinished(() => serving.close());
  const secret = `ghp_${'aB3dE5gH7jK9mN1pQ2sT4vW6yZ8cF9hJxLnR'}`;
  for (const length of [20, 140, 180])
    await fetch(`${serving.address}/openai/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({
        model: 'm',
        stream: true,
        messages: [{ role: 'user', content: `${'w'.repeat(length)} ${secret}` }],
      }),
    });
  expect(serving.state.refused).toHaveLength(3);
  for (const words of serving.state.refused) {
    expect(words).toContain('wwww');
    expect(words).not.toContain('ghp_');
  }
});

/** What is told of its key by a program that repeats it in what it asks. */
const repeating =
  (key: string): Program =>
  async (address, questions) => {
    const client = new OpenAI({ apiKey: key, baseURL: `${address}/openai` });
    const ask = async (content: string) => {
      const { choices } = await client.chat.completions.create({
        model: 'm',
        messages: [{ role: 'user', content }],
      });
      return choices[0]?.message.content ?? '';
    };
    return await Promise.all(questions.map((question) => ask(`${question} My key is ${key}.`)));
  };

test('a key that was left out of a recording is alike, the same or another one', async () => {
  const key = `proj-${'a1B2c3D4'.repeat(4)}`;
  const { recordings, said } = await recorded(repeating(key), ['How heavy?']);
  expect(recordings.join('')).not.toContain(key);
  for (const now of [key, `proj-${'z9Y8x7W6'.repeat(4)}`]) {
    const serving = await ServedRecording.listen(recordings);
    onTestFinished(() => serving.close());
    expect(await repeating(now)(serving.address, ['How heavy?'])).toEqual(said);
    expect(serving.state).toEqual({ served: 1, refused: [], unserved: [] });
  }
});

test('an answer is given once, the ids of users do not count, and a recording without answers is none', async () => {
  const { recordings } = await recorded(openai, ['How heavy?']);
  const serving = await ServedRecording.listen(recordings);
  onTestFinished(() => serving.close());
  const ask = (more: object) =>
    fetch(`${serving.address}/openai/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({
        stream: true,
        messages: [{ content: 'How heavy?', role: 'user' }],
        model: 'm',
        ...more,
      }),
    });
  expect((await ask({ temperature: 1 })).status).toBe(422);
  const first = await ask({ metadata: { user_id: 'u' }, prompt_cache_key: 'p' });
  expect(first.status).toBe(422);
  expect(await (await ask({ prompt_cache_key: 'p' })).text()).toMatch(
    /^data: .*\n\ndata: .*\n\ndata: \[DONE\]\n\n$/,
  );
  expect(await (await ask({})).text()).toContain('once more than it was recorded');
  expect((await fetch(`${serving.address}/openai/models`)).status).toBe(404);
  await expect(ServedRecording.listen(['{}'])).rejects.toThrow('There is no request with an answer');
});
