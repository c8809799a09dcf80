import { isAbsolute } from 'node:path';
import type * as vscode from 'vscode';
import type { AgentDefinition } from '../../core/agent.js';
import { systemClock } from '../../core/clock.js';
import { systemTimers } from '../../core/timers.js';
import type { Frontend } from '../../ports/frontend.js';
import type { Log } from '../../ports/log.js';
import type { Model } from '../../ports/model.js';
import type { Recorder } from '../../record/recorder.js';
import type { RuntimeEvent } from '../../runtime/runtimeEvent.js';
import type { RuntimeConfig } from '../../runtime/runtimeConfig.js';
import type { Scheduler } from '../../runtime/limits/scheduler.js';
import type { ToolPins } from '../../tools/foreignTool.js';
import { PathGuard } from '../../tools/paths/pathGuard.js';
import type { CommandWatcher } from '../../tools/runCommand.js';
import { setting, editorSettings } from '../settings.js';
import { lmTools } from '../models/lmTools.js';
import type { ModelShelf } from '../../app/models/modelShelf.js';
import type { ApprovalPrompts } from './approvalPrompts.js';
import type { ConversationMemory } from '../../app/runs/conversationMemories.js';
import { editorFiles } from './editorFiles.js';
import { sharedPatterns } from '../../app/sharedPatterns.js';
import { limitSetting, runLimits } from '../../app/runs/runLimits.js';

/** What the configuration of a run is made of. */
export interface RuntimeParts {
  readonly folders: readonly vscode.WorkspaceFolder[];
  /** The absolute path of the store's folder, which no tool may touch. */
  readonly store: string;
  readonly agents: readonly AgentDefinition[];
  readonly model: Model;
  readonly models: ModelShelf;
  readonly recorder: Recorder;
  readonly frontend: Frontend;
  readonly prompts: ApprovalPrompts;
  readonly memory: ConversationMemory;
  readonly pins: ToolPins;
  /** Shows the commands that agents run. */
  readonly watcher: CommandWatcher;
  readonly scheduler: Scheduler;
  readonly log: Log;
  /** Receives all events, whatever the verbosity of this window. */
  readonly onEvent: (event: RuntimeEvent) => void;
}

/** Builds the runtime's configuration from this window's settings, models, tools and approvals. */
export async function runtimeConfig(parts: RuntimeParts): Promise<RuntimeConfig> {
  const [{ ApprovalDesk }, { UsageCollector }, { DispatchesOnlyFrontend }, tools] = await Promise.all([
    import('../../runtime/approvalDesk.js'),
    import('../../runtime/usageCollector.js'),
    import('../../frontends/dispatchesOnlyFrontend.js'),
    teamTools(parts),
  ]);
  const { recorder, prompts, onEvent, memory, frontend, log } = parts;
  const { conversation } = recorder;
  const ask = (prompt: Parameters<ApprovalPrompts['ask']>[1]) => prompts.ask(conversation, prompt);
  return {
    model: parts.model,
    resolveModel: (agent, inherited) => parts.models.resolve(agent, inherited, memory.scripts),
    agents: parts.agents,
    ...tools,
    approvals: new ApprovalDesk({
      ...{ ask, onEvent, log },
      messageLog: recorder,
      clock: systemClock,
      remembered: memory.remembered,
      shown: { frontend, conversation },
    }),
    runApprovalPolicy: setting('approvals'),
    maxDepth: limitSetting(editorSettings, 'limits.maxDepth'),
    limits: runLimits(editorSettings),
    scheduler: parts.scheduler,
    usage: new UsageCollector(),
    messageLog: recorder,
    onEvent,
    verbosity: 2,
    frontend,
    childFrontend: new DispatchesOnlyFrontend(frontend),
    clock: systemClock,
    timers: systemTimers,
    log,
  };
}

/** The tools of this window's agents: the built-in ones on the workspace's files, and those registered in VS Code. */
async function teamTools({
  folders,
  store,
  memory: { seen },
  pins,
  watcher,
  log,
}: RuntimeParts): Promise<Pick<RuntimeConfig, 'toolsFor' | 'executorFor'>> {
  const [{ builtInTools }, { foreignTools }, { agentTools }, { ToolRegistry }, ajv] = await Promise.all([
    import('../../tools/builtInTools.js'),
    import('../../tools/foreignTool.js'),
    import('../../tools/agentTools.js'),
    import('../../tools/toolRegistry.js'),
    import('../../runtime/toolCalls/schemaValidator.js'),
  ]);
  const paths = folders.map(({ uri }) => uri.fsPath).filter((path) => isAbsolute(path));
  const own = builtInTools(
    { guard: new PathGuard(paths, store), files: editorFiles, seen, patterns: sharedPatterns },
    { host: process.env, watcher },
  );
  const taken = new Set(own.map(({ name }) => name));
  const foreign = foreignTools({ tools: lmTools, pins, folders: paths, log }, taken);
  const validator = new ajv.SchemaValidator();
  return {
    // Tools of other extensions only where the agent's file names them; an agent without a list gets the built-in ones.
    toolsFor: (agent, canDispatchTo) =>
      agentTools(agent.tools ? [...own, ...foreign] : own, agent, canDispatchTo),
    executorFor: (tools) => new ToolRegistry(tools, validator),
  };
}
