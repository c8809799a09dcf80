import { join } from 'node:path';
import type { AgentDefinition } from '../../src/core/agent.js';
import type { Model } from '../../src/core/ports/model.js';
import type { Tool } from '../../src/core/ports/tool.js';
import type { RuntimeConfig } from '../../src/agents/loop/runtimeConfig.js';
import { loadLibrary } from './library.js';
import { openStore } from './openStore.js';
import { temporaryFolder } from './temporaryFolder.js';

/** What one agent does in a conversation of its own. */
export interface AgentWork {
  readonly instructions: string;
  readonly task: string;
  readonly model: Model;
  readonly tool: Tool;
  /** The most requests to the model. */
  readonly steps: number;
}

/** Runs an agent to its end; resolves when all that was said is durable, rejects where anything failed. */
export type RunAgent = (work: AgentWork) => Promise<void>;

/** The product's whole way, in a folder of its own: scheduled, validated, approved, recorded, kept in memory and made durable. `requestsAtOnce` is the setting's value where left out. */
export async function recordedRuns(requestsAtOnce?: number): Promise<RunAgent> {
  const library = await loadLibrary();
  const store = await openStore(join(temporaryFolder(), '.agent-logbook'));
  const scheduler = new library.Scheduler(requestsAtOnce === undefined ? {} : { requestsAtOnce });
  const validator = new library.SchemaValidator();
  let conversations = 0;
  return async ({ instructions, task, model, tool, steps }) => {
    const conversation = `c${++conversations}`;
    const journal = await store.createConversation(conversation);
    const accumulator = new library.MessageAccumulator();
    const recorder = new library.Recorder({ conversation, accumulator, onListenerFailure: raise });
    recorder.onDidRecord((record) => journal.append(record));
    const agent: AgentDefinition = { ...pickle, instructions };
    const config: RuntimeConfig = {
      model,
      resolveModel: async () => model,
      agents: [agent],
      toolsFor: () => [tool],
      executorFor: (tools) => new library.ToolRegistry(tools, validator),
      approvals: new library.ApprovalDecider({ messageLog: recorder, clock: library.systemClock }),
      runApprovalPolicy: 'approveAll',
      maxDepth: 5,
      limits: { ...library.DEFAULT_LIMITS, steps, tokens: 1e12 },
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
    const { outcome, error } = await new library.AgentSession(conversation, agent, config).run(task);
    if (outcome !== 'done') throw new Error(`${outcome}: ${error?.message ?? ''}`);
    const { durable } = await journal.flush();
    if (durable !== recorder.lastSeq) throw new Error('not durable');
    await journal.close();
  };
}

const pickle: AgentDefinition = {
  name: 'Pickle',
  path: '/agents/Pickle.agent.md',
  format: 'vscode',
  origin: 'workspace',
  description: '',
  instructions: '',
  models: [],
  tools: undefined,
  disallowedTools: [],
  agents: [],
  userInvocable: true,
  modelInvocable: true,
  unknownKeys: [],
};

function raise(error: unknown): void {
  throw error;
}

/** A tool that asks for approval as one that writes does, and takes a whole number `n`. */
export function approvedTool(name: string, result: string, onCall: () => void): Tool {
  return {
    name,
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
        toolName: name,
        toolCallId,
        call,
        subject,
        title: 'Take a note',
        key: subject,
        signal,
      };
      const { approved } = await approvals.decide(request);
      onCall();
      return { content: approved ? result : 'denied', isError: !approved };
    },
  };
}
