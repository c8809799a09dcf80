import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as door from '../../src/library.js';
import type { AgentDefinition, LoopObserver, RuntimeConfig } from '../../src/parts.js';
import * as parts from '../../src/parts.js';
import { oven } from '../support/ovenTool.js';

const library = { ...door, ...parts };

function agentOf(name: string): AgentDefinition {
  const text = `---\nname: ${name}\ndescription: Bakes\n---\nYou are ${name}.\n`;
  const { agent } = library.readAgentFile(`/agents/${name}.agent.md`, text, 'workspace');
  if (!agent) throw new Error('The file holds no agent.');
  return agent;
}

const script = `
script: 1
agents:
  Pickle:
    - toolCalls: [{ name: subagent_dispatch, arguments: { agent_id: Cookie, task: bake } }]
    - text: Enjoy.
    - expect: { contains: more }
      text: There is no more.
  Cookie:
    - toolCalls: [{ name: oven, arguments: { degrees: 180 } }]
      usage: { input: 5, output: 1 }
    - text: Baked.
`;

test('no name stands in both doors, and the first one stays small', () => {
  expect(Object.keys(door).filter((name) => name in parts)).toEqual([]);
  const source = readFileSync(join(import.meta.dirname, '../../src/library.ts'), 'utf8');
  const names = [...source.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list = '']) =>
    list.split(',').filter((name) => name.trim() !== ''),
  );
  expect(names.length).toBeGreaterThanOrEqual(Object.keys(door).length);
  expect(names.length).toBeLessThanOrEqual(68);
});

/** A team put together from nothing but what the library exports. */
function kitchen() {
  const parsed = library.parseScript(script, 'kitchen');
  if (!parsed.script) throw new Error(JSON.stringify(parsed));
  const model = new library.ScriptedModel(parsed.script);
  const validator = new library.SchemaValidator();
  const accumulator = new library.MessageAccumulator();
  const messageLog = new library.Recorder({
    conversation: 'c',
    accumulator,
    onListenerFailure: () => undefined,
  });
  const agents = ['Pickle', 'Cookie'].map(agentOf);
  const config: RuntimeConfig = {
    model,
    resolveModel: async () => Promise.resolve(model),
    agents,
    toolsFor: (agent, callable) => library.agentTools([oven], agent, callable),
    executorFor: (tools) => new library.ToolRegistry(tools, validator),
    approvals: new library.ApprovalDecider({ messageLog, clock: library.systemClock }),
    runApprovalPolicy: 'approveAll',
    maxDepth: library.DEFAULT_MAX_DEPTH,
    limits: library.DEFAULT_LIMITS,
    scheduler: new library.Scheduler(),
    usage: new library.UsageCollector(),
    messageLog,
    onEvent: () => undefined,
    verbosity: 0,
    frontend: new library.SilentFrontend(),
    childFrontend: new library.SilentFrontend(),
    clock: library.systemClock,
    timers: library.systemTimers,
    log: library.silentLog,
  };
  return { config, agents, accumulator };
}

test('a Node program runs a team with what the library exports, and goes on with the conversation', async () => {
  const { config, agents, accumulator } = kitchen();
  const session = new library.AgentSession('c', agents[0]!, config);
  expect(session.asHistory()).toBeUndefined();
  expect(await session.run('Bake.')).toMatchObject({ outcome: 'done', text: 'Enjoy.' });
  expect(config.usage.all()).toMatchObject({ inputTokens: 5, outputTokens: 1 });
  const later = new library.AgentSession('c', agents[0]!, config);
  later.update(session.get());
  expect(await later.run('Is there more?')).toMatchObject({ text: 'There is no more.' });
  expect(later.asHistory()?.length).toBe(6);
  const query = new library.MessageQuery(accumulator.all());
  expect(query.filter({ agent: 'Cookie', role: 'tool' })).toHaveLength(1);
});

test('a single run through chatToolLoop tells its observer what is said, and nothing else keeps it', async () => {
  const { config, agents, accumulator } = kitchen();
  const { signal } = new AbortController();
  const scope = new library.RunScope('run', 'c', config, signal);
  const model = config.model;
  const tools = config.executorFor(config.toolsFor(agents[1]!, []));
  const place = { config, scope, agent: agents[1]!, model, tools, frontend: config.frontend, signal };
  const history = [{ role: 'user', content: 'bake' }] as const;
  const frame = new library.CallFrame({ ...place, prompt: 'bake', depth: 0, history });
  const said: string[] = [];
  const observer: LoopObserver = {
    onAssistantMessage: ({ content, tool_calls: calls }) =>
      void said.push(
        `assistant: ${library.textOf(content)}${(calls ?? []).map((call) => call.function.name).join()}`,
      ),
    onToolMessage: ({ content }, { toolName, durationMs }) =>
      void said.push(`${toolName}: ${library.textOf(content)}${durationMs >= 0 ? '' : ' too early'}`),
    onRequest: () => undefined,
    onError: () => undefined,
  };
  const dispatch = library.createDispatch(frame, library.runCall);
  const result = await library.chatToolLoop(frame, dispatch, observer);
  await frame.finish();
  scope.dispose();
  expect(result).toMatchObject({ outcome: 'done', text: 'Baked.' });
  expect(said).toEqual(['assistant: oven', 'oven: 180 degrees', 'assistant: Baked.']);
  expect(accumulator.all()).toEqual([]);
});

test.each([
  ['cat notes.txt 2>/dev/null | tail -5', 'harmless'],
  ['npm test', 'ordinary'],
  ['rm -rf /', 'mustAsk'],
])('programs are told of %s by the word that they know', (line, kind) => {
  expect(door.judgeCommand(line).kind).toBe(kind);
});
