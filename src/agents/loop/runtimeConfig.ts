import type { AgentDefinition } from '../../core/agent.js';
import type { KnownOptions } from '../../core/checkOptions.js';
import type { Clock } from '../../core/clock.js';
import type { Timers } from '../../core/timers.js';
import type { Failure, LogRecord, PieceDraft, RecordDraft } from '../../core/record.js';
import { APPROVAL_POLICIES, type RunApprovalPolicy, type RunApprover } from '../../core/ports/approvals.js';
import type { Frontend } from '../../core/ports/frontend.js';
import type { Log } from '../../core/ports/log.js';
import type { Model } from '../../core/ports/model.js';
import type { Prices } from '../../core/ports/prices.js';
import type { Tool, ToolExecutor } from '../../core/ports/tool.js';
import type { Limits } from './limits/limits.js';
import type { RuntimeEvent, Verbosity } from './runtimeEvent.js';
import type { Scheduler } from './limits/scheduler.js';
import type { UsageCollector } from './usageCollector.js';

/** The record, as the runtime sees it; a `Recorder` is one. */
export interface MessageLog {
  record(draft: RecordDraft): LogRecord;
  /** Hears what is being said before it is recorded, in pieces; must not throw. */
  say?(piece: PieceDraft): void;
}

/** What holds a run before its next step: it is asked before each request and each tool call. */
export interface RunHold {
  /** Why it is held, for a person; undefined where nothing holds it. */
  readonly why: string | undefined;
  /** A person lets it go on, or ends it. */
  answer(goesOn: boolean): void;
}

/** Everything that the runs of a conversation need. Immutable; a run may be given another one. */
export interface RuntimeConfig {
  /** The entry model: used by agents that name none. */
  readonly model: Model;
  /** The model of an agent that names some; `inherited` is the conversation's own. Must not reject. */
  resolveModel(agent: AgentDefinition, inherited: Model): Promise<Model | Failure>;
  readonly agents: readonly AgentDefinition[];
  /** The tools of one call; `subagent_dispatch` is among them when `canDispatchTo` is not empty. */
  toolsFor(agent: AgentDefinition, canDispatchTo: readonly AgentDefinition[]): readonly Tool[];
  /** Makes the tools of one call executable: no two have the same name. Must not throw. */
  executorFor(tools: readonly Tool[]): ToolExecutor;
  /** Decides on tool calls, by `runApprovalPolicy`. */
  readonly approvals: RunApprover;
  readonly runApprovalPolicy: RunApprovalPolicy;
  /** Absent where nothing ever holds a run. */
  readonly hold?: RunHold;
  /** A call deeper than this is refused before it starts. */
  readonly maxDepth: number;
  /** Where the tools work, for the record, where that is none of the workspace's folders. */
  readonly folder?: string | undefined;
  readonly limits: Limits;
  /** What `limits.cost` counts by; absent: only what endpoints say themselves is known. */
  readonly prices?: Prices;
  /** Shared by all conversations of a process, so that its caps hold for all of them together. */
  readonly scheduler: Scheduler;
  readonly usage: UsageCollector;
  readonly messageLog: MessageLog;
  /** Receives live events, filtered by `verbosity`; may throw, which is logged and has no other effect. */
  onEvent(event: RuntimeEvent): void;
  readonly verbosity: Verbosity;
  /** Where the entry agent's dispatches are shown. */
  readonly frontend: Frontend;
  /** The frontend of dispatched agents, which shows less, so that their messages are not shown twice. */
  readonly childFrontend: Frontend;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
}

/** What a `RuntimeConfig` may hold. */
export const runtimeConfigKinds: KnownOptions<RuntimeConfig> = {
  model: 'object',
  resolveModel: 'function',
  agents: 'list',
  toolsFor: 'function',
  executorFor: 'function',
  approvals: 'object',
  runApprovalPolicy: APPROVAL_POLICIES,
  hold: 'object',
  maxDepth: 'count',
  folder: 'text',
  limits: 'object',
  prices: 'object',
  scheduler: 'object',
  usage: 'object',
  messageLog: 'object',
  onEvent: 'function',
  verbosity: 'count',
  frontend: 'object',
  childFrontend: 'object',
  clock: 'object',
  timers: 'object',
  log: 'object',
};
