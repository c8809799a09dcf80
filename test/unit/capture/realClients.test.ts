import { createOpenAI } from '@ai-sdk/openai';
import { LangChainInstrumentation } from '@arizeai/openinference-instrumentation-langchain';
import * as callbackManager from '@langchain/core/callbacks/manager';
import { SystemMessage } from '@langchain/core/messages';
import { tool as langTool } from '@langchain/core/tools';
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt';
import { ChatOpenAI } from '@langchain/openai';
import {
  Agent,
  OpenAIResponsesModel,
  Runner,
  tool as agentTool,
  type AgentInputItem,
  type Model,
} from '@openai/agents';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { stepCountIs, streamText, tool as aiTool } from 'ai';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI from 'openai';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { OtlpReceiver } from '../../../src/capture/otlp/otlpReceiver.js';
import { ExchangeRecorder } from '../../../src/capture/proxy/exchangeRecorder.js';
import { RecordingProxy } from '../../../src/capture/proxy/recordingProxy.js';
import { upstreamsOf } from '../../../src/capture/proxy/upstreams.js';
import { importFile } from '../../../src/import/importFile.js';
import { calledItem, responsesServer, saidItem } from '../../support/responsesServer.js';
import { StrictServer } from '../../support/strictServer.js';
import { calling, saying } from '../../support/wireAnswers.js';
import { said } from '../import/reading.js';

const question = 'How heavy is the red bowl?';
const bowl = z.object({ bowl: z.string() });
const weighs = [
  calling({ id: 'c1', name: 'weigh', args: { bowl: 'red' } }),
  saying('600 g.'),
  saying('Bye.'),
];
const talk = [
  'system: You weigh.',
  `user: ${question}`,
  'assistant: null weigh({"bowl":"red"})',
  'tool c1: red is heavy',
  'assistant: 600 g.',
  'user: Thanks.',
  'assistant: Bye.',
];

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});

test("Vercel's AI SDK, which streams: its requests and its spans tell the same talk", async () => {
  const strict = await StrictServer.start(weighs);
  onTestFinished(() => strict.close());
  const bench = await between(strict.url);
  const model = createOpenAI({ baseURL: bench.openai, apiKey: 'k' }).chat('m');
  const experimental_telemetry = {
    isEnabled: true,
    tracer: bench.provider.getTracer('ai'),
    functionId: 'weigher',
    metadata: { sessionId: 's1' },
  };
  const weigh = aiTool({
    description: 'Weighs',
    inputSchema: bowl,
    execute: ({ bowl: name }) => `${name} is heavy`,
  });
  const about = {
    model,
    system: 'You weigh.',
    tools: { weigh },
    stopWhen: stepCountIs(5),
    experimental_telemetry,
  };
  const first = streamText({ ...about, prompt: question });
  await first.text;
  const { messages } = await first.response;
  const next = { role: 'user' as const, content: 'Thanks.' };
  await streamText({ ...about, messages: [{ role: 'user', content: question }, ...messages, next] }).text;
  const { requests, spans } = await bench.talks();
  expect(requests).toEqual([talk]);
  expect(spans.map((lines) => lines.map(plain))).toEqual([talk]);
});

test("LangGraph with OpenInference's spans: each call and result once", async () => {
  const weighing = { id: 'c1', type: 'function', function: { name: 'weigh', arguments: '{"bowl":"red"}' } };
  const openai = await server([
    { content: null, tool_calls: [weighing] },
    { content: '600 g.' },
    { content: 'Bye.' },
  ]);
  const bench = await between(openai);
  const instrumentation = new LangChainInstrumentation({ tracerProvider: bench.provider });
  instrumentation.manuallyInstrument(callbackManager);
  onTestFinished(() => instrumentation.disable());
  const llm = new ChatOpenAI({
    model: 'm',
    apiKey: 'k',
    maxRetries: 0,
    configuration: { baseURL: bench.openai },
  });
  const weigh = langTool(({ bowl: name }) => `${name} is heavy`, {
    name: 'weigh',
    description: 'Weighs',
    schema: bowl,
  });
  const bound = llm.bindTools([weigh]);
  const agent = new StateGraph(MessagesAnnotation)
    .addNode('model', async ({ messages: told }) => ({
      messages: [await bound.invoke([new SystemMessage('You weigh.'), ...told])],
    }))
    .addNode('tools', new ToolNode([weigh]))
    .addEdge(START, 'model')
    .addConditionalEdges('model', toolsCondition)
    .addEdge('tools', 'model')
    .compile();
  const about = { metadata: { session_id: 's1' } };
  const { messages } = await agent.invoke({ messages: [{ role: 'user', content: question }] }, about);
  await agent.invoke({ messages: [...messages, { role: 'user', content: 'Thanks.' }] }, about);
  const { requests, spans } = await bench.talks();
  expect(requests.map((lines) => lines.map(plain))).toEqual([talk]);
  expect(spans.map((lines) => lines.map(plain))).toEqual([talk]);
});

test("OpenAI's Agents SDK: an agent that takes over goes on with the talk, one that is a tool has its own", async () => {
  const responses = await responsesServer([
    [calledItem('c1', 'weigh', { bowl: 'red' })],
    [saidItem('600 g.')],
    [calledItem('h1', 'transfer_to_Cook', {})],
    [calledItem('k1', 'ask_helper', { input: 'Is it done?' })],
    [saidItem('Yes, it is.')],
    [saidItem('Cooked.')],
  ]);
  onTestFinished(responses.close);
  const bench = await between(responses.url);
  const client = new OpenAI({ baseURL: bench.openai, apiKey: 'k', maxRetries: 0 });
  const model = (): Model => new OpenAIResponsesModel(client, 'm');
  const runner = new Runner({ tracingDisabled: true, modelProvider: { getModel: model } });
  const weigh = agentTool({
    name: 'weigh',
    description: 'Weighs',
    parameters: bowl,
    execute: ({ bowl: name }) => `${name} is heavy`,
  });
  const helper = new Agent({ name: 'Helper', instructions: 'You help.', model: model() });
  const ask = helper.asTool({
    toolName: 'ask_helper',
    toolDescription: 'Helps',
    runConfig: { tracingDisabled: true },
  });
  const cook = new Agent({ name: 'Cook', instructions: 'You cook.', tools: [ask] });
  const weigher = new Agent({
    name: 'Weigher',
    instructions: 'You weigh.',
    tools: [weigh],
    handoffs: [cook],
  });
  const first = await runner.run(weigher, question, { stream: true });
  await first.completed;
  const history: AgentInputItem[] = [...first.history, { role: 'user', content: 'Cook it.' }];
  await runner.run(weigher, history);
  const { requests } = await bench.talks();
  expect(requests.map((lines) => lines.filter((line) => !line.startsWith('tool h1')))).toEqual([
    [
      ...talk.slice(0, 5),
      'user: Cook it.',
      'assistant: null transfer_to_Cook({})',
      'system: You cook.',

      'assistant: null ask_helper({"input":"Is it done?"})',
      'tool k1: Yes, it is.',
      'assistant: Cooked.',
    ],
    ['system: You help.', 'user: Is it done?', 'assistant: Yes, it is.'],
  ]);
});

/** A server of chat completions that answers in one piece, one message after another; its address. */
async function server(messages: readonly object[]): Promise<string> {
  let asked = 0;
  const answering = createServer((request, response) => {
    request.resume().on('end', () => {
      const choice = {
        index: 0,
        finish_reason: 'stop',
        message: { role: 'assistant', ...messages[asked++] },
      };
      // LangGraph takes messages with one id for one message.
      const answer = {
        id: `answer ${asked}`,
        object: 'chat.completion',
        created: 1,
        model: 'm',
        choices: [choice],
      };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
  });
  answering.listen(0, '127.0.0.1');
  await once(answering, 'listening');
  onTestFinished(() => {
    answering.closeAllConnections();
    answering.close();
  });
  return `http://127.0.0.1:${(answering.address() as AddressInfo).port}/v1`;
}

/** A proxy in front of a model and a receiver of spans, and what both recorded. */
async function between(openai: string) {
  const folder = async () => {
    const path = await mkdtemp(join(tmpdir(), 'clients-'));
    onTestFinished(() => rm(path, { recursive: true }));
    return path;
  };
  const [requests, spans] = [await folder(), await folder()];
  const quiet = { port: 0, onGrown: () => undefined, onProblem: () => undefined };
  const upstreams = upstreamsOf({}, { openai, anthropic: openai });
  const recorder = new ExchangeRecorder({ ...quiet, folder: requests });
  const proxy = await RecordingProxy.listen({ ...quiet, recorder, upstreams });
  const receiver = await OtlpReceiver.listen({ ...quiet, folder: spans });
  const exporter = new OTLPTraceExporter({ url: `${receiver.address}/v1/traces` });
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  let closing: Promise<unknown> | undefined;
  const close = () =>
    (closing ??= provider.shutdown().then(() => Promise.all([proxy.close(), receiver.close()])));
  onTestFinished(() => close().then(() => undefined));
  const talksIn = async (path: string) => {
    const names = (await readdir(path)).filter((name) => name.endsWith('.jsonl'));
    const talks = await Promise.all(names.map(async (name) => said(await importFile(join(path, name)))));
    // The longest first; recordings have names that are made of nothing that can be known.
    return talks.sort((a, b) => b.length - a.length);
  };
  return {
    openai: `${proxy.address}/openai`,
    provider,
    /** Ends both; the talks that each recorded. */
    async talks() {
      await close();
      return { requests: await talksIn(requests), spans: await talksIn(spans) };
    },
  };
}

/** A line of a talk, with a text in a list of parts as the text, and nothing as no text. */
function plain(line: string): string {
  return line
    .replace(/^(\w+): \[\{"type":"text","text":("[^]*?")\}\]/, (_, role: string, words: string) => {
      return `${role}: ${JSON.parse(words) as string}`;
    })
    .replace(/^assistant: {2}(?=\w+\()/, 'assistant: null ');
}
