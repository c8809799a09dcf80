import { agentDefinition } from '../../src/app/team/teamAgent.js';
import type { AgentDefinition } from '../../src/core/agent.js';
import { systemClock } from '../../src/core/clock.js';
import { isObject, textOf, type ChatMessage } from '../../src/core/message.js';
import type { LogRecord } from '../../src/core/record.js';
import { systemTimers } from '../../src/core/timers.js';
import type { Script, ScriptStep } from '../../src/agents/models/script.js';
import { ScriptedModel } from '../../src/agents/models/scriptedModel.js';
import type { Model, ModelRequest } from '../../src/core/ports/model.js';
import type { Tool, ToolContext, ToolExecutor, ToolResult } from '../../src/core/ports/tool.js';
import { Recorder } from '../../src/core/record/recorder.js';
import { AgentSession } from '../../src/agents/loop/agentSession.js';
import { ApprovalDecider } from '../../src/agents/loop/approvalDecider.js';
import { DEFAULT_LIMITS, DEFAULT_MAX_DEPTH, type Limits } from '../../src/agents/loop/limits/limits.js';
import type { RuntimeConfig } from '../../src/agents/loop/runtimeConfig.js';
import type { RuntimeEvent } from '../../src/agents/loop/runtimeEvent.js';
import { Scheduler } from '../../src/agents/loop/limits/scheduler.js';
import { UsageCollector } from '../../src/agents/loop/usageCollector.js';
import { RecordingFrontend } from './recordingFrontend.js';
import { RecordingLog } from './recordingLog.js';

/** An agent that only has what a test says of it. */
export function anAgent(name: string, rest: Partial<AgentDefinition> = {}): AgentDefinition {
  return {
    ...agentDefinition({ name, description: '', instructions: `You are ${name}.` }),
    path: `/agents/${name}.agent.md`,
    ...rest,
  };
}

/** A script from plain arrays of steps, one for each agent. */
export function aScript(agents: Readonly<Record<string, readonly ScriptStep[]>>): Script {
  return { name: 'test', agents: new Map(Object.entries(agents)) };
}

/** A step that dispatches: `ask('Cookie', 'bake')`. */
export function ask(target: string, task: string, context?: string): ScriptStep {
  const args = { agent_id: target, task, ...(context !== undefined && { context }) };
  return { toolCalls: [{ name: 'subagent_dispatch', arguments: args }] };
}

/** A step that calls one tool. */
export function use(name: string, args: Readonly<Record<string, unknown>> | string = {}): ScriptStep {
  return { toolCalls: [{ name, arguments: args }] };
}

/** A tool that answers with what `run` gives. */
export function aTool(
  name: string,
  run: (
    args: Readonly<Record<string, unknown>>,
    context: ToolContext,
  ) => Promise<ToolResult | string> | ToolResult | string,
  rest: Partial<Tool> = {},
): Tool {
  return {
    name,
    description: name,
    parameters: { type: 'object' },
    effect: 'read',
    parallel: true,
    execute: async (args, context) => {
      const result = await run(args, context);
      return typeof result === 'string' ? { content: result } : result;
    },
    ...rest,
  };
}

/** The dispatching tool without anything around it. */
const dispatchTool: Tool = aTool(
  'subagent_dispatch',
  async ({ agent_id: target, task, context: background }, context) => {
    const outcome = await context.dispatch?.({
      target: String(target),
      task: String(task),
      ...(typeof background === 'string' && { context: background }),
      toolCallId: context.toolCallId,
      caller: context.call,
      signal: context.signal,
    });
    if (!outcome?.ok) return { content: outcome?.error ?? 'no dispatch', isError: true };
    return JSON.stringify({ result: outcome.result, session_id: outcome.session });
  },
  { effect: 'dispatch' },
);

/** Executes tools without checking their arguments against a schema. */
export class PlainExecutor implements ToolExecutor {
  readonly specs: readonly Tool[];

  constructor(tools: readonly Tool[]) {
    this.specs = tools;
  }

  find(name: string): Tool | undefined {
    return this.specs.find((tool) => tool.name === name);
  }

  async execute(name: string, args: string, context: ToolContext): Promise<ToolResult> {
    const tool = this.find(name);
    if (!tool) return { content: `There is no tool '${name}'.`, isError: true, notRun: true };
    try {
      const value: unknown = JSON.parse(args || '{}');
      if (isObject(value)) return await tool.execute(value, context);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
    return { content: 'The arguments are not a JSON object.', isError: true, notRun: true };
  }
}

/** Asks another model, and keeps a copy of what each request sent. */
class WatchedModel implements Model {
  readonly requests: { readonly agent: string; readonly messages: readonly ChatMessage[] }[] = [];
  readonly id: string;
  readonly label: string;
  readonly kind: Model['kind'];
  readonly endpoint: string;
  readonly #inner: Model;

  constructor(inner: Model) {
    this.#inner = inner;
    ({ id: this.id, label: this.label, kind: this.kind, endpoint: this.endpoint } = inner);
  }

  stream(request: ModelRequest) {
    this.requests.push({ agent: request.agent, messages: structuredClone(request.messages) });
    return this.#inner.stream(request);
  }
}

/** What a test may want otherwise. */
export interface TeamOptions extends Partial<Omit<RuntimeConfig, 'limits'>> {
  readonly script?: Readonly<Record<string, readonly ScriptStep[]>>;
  readonly tools?: readonly Tool[];
  readonly limits?: Partial<Limits>;
}

/** A whole team in memory: the first agent is the entry; everything that happens can be looked at. */
export function aTeam(names: readonly (string | AgentDefinition)[], options: TeamOptions = {}) {
  const { script = {}, tools = [], limits, ...rest } = options;
  const agents = names.map((name) => (typeof name === 'string' ? anAgent(name) : name));
  const scripted = new ScriptedModel(aScript(script));
  const model = new WatchedModel(rest.model ?? scripted);
  const log = new RecordingLog();
  const frontend = new RecordingFrontend();
  const childFrontend = new RecordingFrontend();
  const events: RuntimeEvent[] = [];
  const records: LogRecord[] = [];
  const recorder = new Recorder({
    conversation: 'c1',
    onListenerFailure: (error) => log.error('a listener failed', error),
  });
  recorder.onDidRecord((record) => records.push(record));
  const config: RuntimeConfig = {
    agents,
    resolveModel: async () => model,
    toolsFor: (_agent, callable) => (callable.length > 0 ? [dispatchTool, ...tools] : tools),
    executorFor: (all) => new PlainExecutor(all),
    approvals: new ApprovalDecider({ messageLog: recorder, clock: systemClock }),
    runApprovalPolicy: 'approveAll',
    maxDepth: DEFAULT_MAX_DEPTH,
    limits: { ...DEFAULT_LIMITS, ...limits },
    scheduler: new Scheduler(),
    usage: new UsageCollector(),
    messageLog: recorder,
    onEvent: (event) => void events.push(event),
    verbosity: 2,
    frontend,
    childFrontend,
    clock: systemClock,
    timers: systemTimers,
    log,
    ...rest,
    model,
  };
  const session = new AgentSession('c1', agents[0]!, config);
  return {
    agents,
    config,
    session,
    model,
    scripted,
    log,
    frontend,
    childFrontend,
    events,
    records,
    recorder,
  };
}

/** Records as lines, like `0 Pickle message assistant: hello`; what differs from run to run is left out. */
export function linesOf(records: readonly LogRecord[]): string[] {
  return records.map((record) => `${record.depth} ${record.agent} ${record.type}${wordsOf(record)}`);
}

function wordsOf(record: LogRecord): string {
  switch (record.type) {
    case 'message': {
      const { message, partial, isError } = record;
      const calls = (message.tool_calls ?? []).map(({ function: { name } }) => ` ${name}()`).join('');
      const marks = `${partial ? ` [${partial}]` : ''}${isError ? ' [error]' : ''}`;
      return ` ${message.role}${marks}:${calls} ${textOf(message.content)}`.trimEnd();
    }
    case 'piece':
      return ` ${record.request}: ${record.text ?? ''}`;
    case 'callStart':
      return ` ${record.task}`;
    case 'callEnd':
      return ` ${record.outcome}${record.reason === undefined ? '' : `: ${record.reason}`}`;
    case 'dispatch':
      return ` ${record.target}${record.refused === undefined ? '' : ` refused: ${record.refused}`}`;
    case 'request':
      return ` ${record.error ? record.error.code : record.finishReason}`;
    case 'approval':
      return ` ${record.toolName} ${record.decision} by ${record.decidedBy}`;
    case 'error':
      return ` ${record.where} ${record.error.code}: ${record.error.message}`;
    case 'title':
      return ` ${record.title}`;
  }
}

/** What a run with these steps of Pickle and these tools says, from the first answer on. */
export async function said(...[steps, tools, limits]: [object[], ReturnType<typeof aTool>[], object?]) {
  const team = aTeam(['Pickle'], { script: { Pickle: steps }, tools, limits: limits ?? {} });
  const result = await team.session.run('go');
  const lines = linesOf(team.records).slice(3);
  return { team, result, lines: lines.filter((line) => !line.includes(' request ')) };
}

/** Three calls of one tool in a message, with the arguments `{ n }` of 1 to 3. */
export const three = (name: string) => ({ toolCalls: [1, 2, 3].map((n) => ({ name, arguments: { n } })) });
