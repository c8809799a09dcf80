import { join } from 'node:path';
import type { AgentDefinition } from '../../src/core/agent.js';
import type { Model, ModelEvent } from '../../src/ports/model.js';
import type { Tool } from '../../src/ports/tool.js';
import type { RuntimeConfig } from '../../src/runtime/runtimeConfig.js';
import { loadLibrary } from '../harness/library.js';
import { openStore } from '../harness/openStore.js';
import { temporaryFolder } from '../harness/temporaryFolder.js';
import { INSTRUCTIONS, RESULT, TASK, TOOL, type MakeLoop } from './loop.js';

const agent: AgentDefinition = {
  name: 'Pickle',
  path: '/agents/Pickle.agent.md',
  format: 'vscode',
  origin: 'workspace',
  description: '',
  instructions: INSTRUCTIONS,
  models: [],
  tools: undefined,
  disallowedTools: [],
  agents: [],
  userInvocable: true,
  modelInvocable: true,
  unknownKeys: [],
};

const usage = { inputTokens: 100, outputTokens: 10, estimated: false };

/** The product's whole way: scheduled, validated, approved, recorded, kept in memory and made durable. */
export const ours: MakeLoop = async () => {
  const library = await loadLibrary();
  const store = await openStore(join(temporaryFolder(), '.agent-logbook'));
  const scheduler = new library.Scheduler();
  const validator = new library.SchemaValidator();
  let conversations = 0;
  return async (turns, onTurn) => {
    const conversation = `c${++conversations}`;
    const journal = await store.createConversation(conversation);
    const accumulator = new library.MessageAccumulator();
    const recorder = new library.Recorder({ conversation, accumulator, onListenerFailure: raise });
    recorder.onDidRecord((record) => journal.append(record));
    const model = notes(turns);
    const tool = noteTool(onTurn);
    const policy = 'approveAll';
    const config: RuntimeConfig = {
      model,
      resolveModel: async () => model,
      agents: [agent],
      toolsFor: () => [tool],
      executorFor: (tools) => new library.ToolRegistry(tools, validator),
      approvals: new library.ApprovalDesk({ policy, messageLog: recorder, clock: library.systemClock }),
      runApprovalPolicy: policy,
      maxDepth: 5,
      limits: { ...library.DEFAULT_LIMITS, steps: turns + 1, tokens: 1e12 },
      scheduler,
      usage: new library.UsageCollector(),
      messageLog: recorder,
      onEvent: () => undefined,
      verbosity: 2,
      frontend: new library.SilentFrontend(),
      childFrontend: new library.SilentFrontend(),
      clock: library.systemClock,
      timers: library.systemTimers,
      log: library.silentLog,
    };
    const { outcome, error } = await new library.AgentSession(conversation, agent, config).run(TASK);
    if (outcome !== 'done') throw new Error(`${outcome}: ${error?.message ?? ''}`);
    const { durable } = await journal.flush();
    if (durable !== recorder.lastSeq) throw new Error('not durable');
    await journal.close();
  };
};

function raise(error: unknown): void {
  throw error;
}

/** A model that calls the tool so many times, then ends. */
function notes(turns: number): Model {
  let turn = 0;
  return {
    id: 'bench/notes',
    label: 'notes',
    kind: 'http',
    endpoint: 'bench',
    async *stream(): AsyncGenerator<ModelEvent> {
      const n = turn++;
      if (n < turns)
        yield { type: 'toolCall', index: 0, id: `call_${n}`, name: TOOL, arguments: `{"n":${n}}` };
      else yield { type: 'text', text: 'done' };
      yield { type: 'usage', usage };
      yield { type: 'end', finishReason: n < turns ? 'tool_calls' : 'stop' };
    },
  };
}

/** The tool, which asks for approval as one that writes does. */
function noteTool(onTurn: () => void): Tool {
  return {
    name: TOOL,
    description: 'Takes a note.',
    parameters: {
      type: 'object',
      properties: { n: { type: 'integer', minimum: 0 } },
      required: ['n'],
      additionalProperties: false,
    },
    effect: 'write',
    parallel: false,
    async execute({ n }, { approvals, call, signal, toolCallId }) {
      const subject = `note ${String(n)}`;
      const request = {
        toolName: TOOL,
        toolCallId,
        call,
        subject,
        title: 'Take a note',
        key: subject,
        signal,
      };
      const { approved } = await approvals.decide(request);
      onTurn();
      return { content: approved ? RESULT : 'denied', isError: !approved };
    },
  };
}
