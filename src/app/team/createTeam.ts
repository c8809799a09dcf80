import { checkOptions, checkValue, type KnownOptions } from '../../core/checkOptions.js';
import type { AgentDefinition } from '../../core/agent.js';
import { systemClock } from '../../core/clock.js';
import type { Disposable } from '../../core/event.js';
import { codedError } from '../../core/errorCode.js';
import { newConversationId } from '../../core/ids.js';
import { messageOf } from '../../core/text.js';
import { systemTimers } from '../../core/timers.js';
import { DispatchesOnlyFrontend } from '../../agents/frontends/dispatchesOnlyFrontend.js';
import { FrontendHub } from '../../agents/frontends/frontendHub.js';
import { resolveModelName } from '../../agents/models/resolveModelName.js';
import { APPROVAL_POLICIES, type AskApproval, type RunApprovalPolicy } from '../../core/ports/approvals.js';
import type { Frontend } from '../../core/ports/frontend.js';
import type { Journal } from '../../core/ports/journal.js';
import { silentLog, type Log } from '../../core/ports/log.js';
import type { Model } from '../../core/ports/model.js';
import type { Prices } from '../../core/ports/prices.js';
import type { TokenCounter } from '../../core/ports/tokenCounter.js';
import type { Tool } from '../../core/ports/tool.js';
import { MessageAccumulator } from '../../core/record/messageAccumulator.js';
import type { RunResult } from '../../agents/loop/agentSession.js';
import { ApprovalDecider } from '../../agents/loop/approvalDecider.js';
import {
  DEFAULT_LIMITS,
  DEFAULT_MAX_DEPTH,
  limitKinds,
  type Limits,
} from '../../agents/loop/limits/limits.js';
import { Scheduler } from '../../agents/loop/limits/scheduler.js';
import type { MessageLog, RuntimeConfig } from '../../agents/loop/runtimeConfig.js';
import type { RuntimeEvent } from '../../agents/loop/runtimeEvent.js';
import { UsageCollector } from '../../agents/loop/usageCollector.js';
import { encodingForModel } from '../../query/tokens/encodingForModel.js';
import { lazyTokenCounter } from '../../query/tokens/loadTokenCounter.js';
import { agentTools } from '../../agents/tools/agentTools.js';
import { ToolRegistry } from '../../agents/tools/toolRegistry.js';
import { agentDefinition, type TeamAgent } from './teamAgent.js';
import { TeamSession } from './teamSession.js';
import type { ArgumentValidator } from '../../core/ports/argumentValidator.js';

/** Where a team's conversations are stored; a `TranscriptStore` is one. */
export interface ConversationStore {
  createConversation(id: string): Promise<Journal>;
}

/** What a team is made of; only agents and models are needed. */
export interface TeamOptions {
  /** At least one; the first is who is asked where nobody is named. */
  readonly agents: readonly TeamAgent[];
  /** One model, or several: the first is used by agents that name none. */
  readonly models: Model | readonly Model[];
  /** Absent: none but `subagent_dispatch`, by which agents call each other. */
  readonly tools?: readonly Tool[];
  /** Absent: nothing is written to the disk. */
  readonly store?: ConversationStore;
  /**
   * Who decides on tool calls that are not harmless: a policy, or a function that asks a person. Absent: nobody can be
   * asked, so what would have to be asked is refused.
   */
  readonly approvals?: RunApprovalPolicy | AskApproval;
  /** Limits that differ from `DEFAULT_LIMITS`. */
  readonly limits?: Partial<Limits>;
  /** What `limits.cost` counts by, as `loadPrices` gives it; absent: only what endpoints say themselves is known. */
  readonly prices?: Prices;
  /** The deepest nesting of calls; the entry call has depth 0. */
  readonly maxDepth?: number;
  /**
   * Counts the tokens of messages whose usage no provider reported; absent: by the encoding of the model of the agent that a
   * session is with, whose ranks are read when something is counted first.
   */
  readonly tokenCounter?: TokenCounter;
  /** Where dispatches are shown while they happen. */
  readonly frontend?: Frontend;
  /** Receives live events of all runs; what it throws is logged. */
  readonly onEvent?: (event: RuntimeEvent) => void;
  readonly log?: Log;
}

const teamKinds: KnownOptions<TeamOptions> = {
  agents: 'list',
  models: 'any',
  tools: 'list',
  store: 'object',
  approvals: 'any',
  limits: 'object',
  prices: 'object',
  maxDepth: 'count',
  tokenCounter: 'object',
  frontend: 'object',
  onEvent: 'function',
  log: 'object',
};

/** Agents that work together, and everything that they say. */
export interface Team extends Disposable {
  readonly agents: readonly AgentDefinition[];
  /** The messages of all agents in all sessions, oldest first; bounded, see `DEFAULT_ACCUMULATOR_LIMITS`. */
  readonly messageLog: MessageAccumulator;
  /** The tokens of all runs so far. */
  readonly usage: UsageCollector;
  /** Begins a conversation. Throws where the team has no agent of that name. */
  session(agent?: string): TeamSession;
  /** Asks an agent once, in a conversation of its own that is closed afterwards. */
  run(
    prompt: string,
    options?: { readonly agent?: string; readonly signal?: AbortSignal },
  ): Promise<RunResult>;
}

/**
 * Puts a team together. Throws a sentence that names the agent where the definitions contradict each other: no agent, two
 * of one name, or no model; and a TypeError for an unknown option, of an agent too.
 */
export function createTeam(options: TeamOptions): Team {
  checkTeam(options);
  const log = options.log ?? silentLog;
  const agents = options.agents.map(agentDefinition);
  const models = 'stream' in options.models ? [options.models] : options.models;
  const [entry] = agents;
  const [model] = models;
  if (!entry) throw codedError(Error, 'A team needs at least one agent.', 'INVALID_TEAM');
  if (!model) throw codedError(Error, 'A team needs at least one model.', 'INVALID_TEAM');
  const twice = agents.find(({ name }, index) => agents.findIndex((other) => other.name === name) !== index);
  if (twice) throw codedError(Error, `Two agents of the team are named ${twice.name}.`, 'INVALID_TEAM');

  const usage = new UsageCollector();
  const messageLog = new MessageAccumulator({}, (error) =>
    log.error('A subscriber of the messages failed', error),
  );
  const hub = new FrontendHub({ log });
  if (options.frontend) hub.add('the team’s frontend', options.frontend);
  const shared = { agents, models, model, usage, hub, log, scheduler: new Scheduler() };

  const session = (name = entry.name): TeamSession => {
    const agent = agents.find((candidate) => candidate.name === name);
    if (!agent) {
      const message = `The team has no agent named ${name}, only ${agents.map((a) => a.name).join(', ')}.`;
      throw codedError(Error, message, 'UNKNOWN_VALUE');
    }
    const conversation = newConversationId(systemClock.now());
    const { store, tokenCounter = counterFor(modelOf(agent, shared), log) } = options;
    return new TeamSession({
      conversation,
      agent,
      tokenCounter,
      accumulator: messageLog,
      onListenerFailure: (error) => log.error('A subscriber of the record failed', error),
      openJournal: store && (() => store.createConversation(conversation)),
      configFor: (recorder) => teamConfig(options, shared, recorder, conversation),
    });
  };
  return {
    agents,
    messageLog,
    usage,
    session,
    async run(prompt, asked = {}) {
      checkOptions(asked, { agent: 'text', signal: 'object' }, 'team.run');
      const { agent, signal } = asked;
      const once = session(agent);
      try {
        return await once.run(prompt, signal ? { signal } : {});
      } finally {
        await once.close();
      }
    },
    dispose: () => {
      hub.dispose();
      messageLog.dispose();
    },
  };
}

function checkTeam(options: TeamOptions): void {
  checkOptions(options, teamKinds, 'createTeam');
  checkOptions(options.limits ?? {}, limitKinds, 'limits');
  const { approvals = 'ask' } = options;
  if (typeof approvals !== 'function')
    checkValue(approvals, APPROVAL_POLICIES, "The option 'approvals' of createTeam");
}

/** The model that an agent asks; the team's first where it has none of those that the agent names. */
function modelOf({ models: names }: AgentDefinition, { models, model }: Shared): Model {
  const found = resolveModelName(names, models, model);
  return 'code' in found ? model : found;
}

/** Counts by the encoding of a model; logs once where that fails, and the counts stay unknown. */
function counterFor(model: Model, log: Log): TokenCounter {
  const counter = lazyTokenCounter(encodingForModel(model.id).encoding);
  let hasFailed = false;
  return {
    count: (text) => {
      try {
        return counter.count(text);
      } catch (error) {
        if (!hasFailed) log.warn(`Tokens cannot be counted: ${messageOf(error)}`);
        hasFailed = true;
        throw error;
      }
    },
  };
}

/** What all sessions of a team share. */
interface Shared extends Pick<RuntimeConfig, 'agents' | 'model' | 'usage' | 'scheduler' | 'log'> {
  readonly models: readonly Model[];
  readonly hub: FrontendHub;
}

function teamConfig(
  { tools = [], approvals = 'ask', limits, prices, maxDepth, onEvent }: TeamOptions,
  { models, hub, ...shared }: Shared,
  messageLog: MessageLog,
  conversation: string,
): RuntimeConfig {
  const validator = lateValidator();
  const asks = typeof approvals === 'function';
  return {
    ...shared,
    messageLog,
    resolveModel: (agent, inherited) => Promise.resolve(resolveModelName(agent.models, models, inherited)),
    toolsFor: (agent, callable) => agentTools(tools, agent, callable),
    executorFor: (all) => new ToolRegistry(all, validator),
    approvals: new ApprovalDecider({
      ...(asks && { ask: approvals }),
      messageLog,
      clock: systemClock,
      log: shared.log,
      shown: { frontend: hub, conversation },
    }),
    runApprovalPolicy: asks ? 'ask' : approvals,
    maxDepth: maxDepth ?? DEFAULT_MAX_DEPTH,
    limits: { ...DEFAULT_LIMITS, ...limits },
    ...(prices && { prices }),
    onEvent: onEvent ?? (() => undefined),
    verbosity: 2,
    frontend: hub,
    childFrontend: new DispatchesOnlyFrontend(hub),
    clock: systemClock,
    timers: systemTimers,
  };
}

/**
 * Checks arguments as `SchemaValidator` does, which is loaded with the first tool call: it and the packages that it is made
 * of are a third of what a program would load to make a team.
 */
function lateValidator(): ArgumentValidator {
  let loading: Promise<ArgumentValidator> | undefined;
  const load = async () => {
    const { SchemaValidator } = await import('../../agents/loop/toolCalls/schemaValidator.js');
    return new SchemaValidator();
  };
  return { check: async (schema, args) => (await (loading ??= load())).check(schema, args) };
}
