import { isAbsolute } from 'node:path';
import type { AgentDefinition } from '../../core/agent.js';
import { systemClock } from '../../core/clock.js';
import { systemTimers } from '../../core/timers.js';
import type { Frontend } from '../../core/ports/frontend.js';
import type { ApprovalPrompt } from '../../core/ports/approvals.js';
import type { OneRun, TeamParts } from './teamParts.js';
import type { Model } from '../../core/ports/model.js';
import type { Prices } from '../../core/ports/prices.js';
import type { Recorder } from '../../core/record/recorder.js';
import type { RuntimeEvent } from '../../agents/loop/runtimeEvent.js';
import type { RuntimeConfig } from '../../agents/loop/runtimeConfig.js';
import { PathGuard } from '../../agents/tools/paths/pathGuard.js';
import { limitSetting, runLimits } from '../ports/runLimits.js';
import { features } from '../features/features.js';

/** What the configuration of a run is made of. */
export interface RuntimeOptions {
  readonly parts: TeamParts;
  readonly run: OneRun;
  readonly agents: readonly AgentDefinition[];
  readonly model: Model;
  readonly recorder: Recorder;
  readonly frontend: Frontend;
  /** Receives all events, whatever the verbosity of this window. */
  readonly onEvent: (event: RuntimeEvent) => void;
}

/** Builds the runtime's configuration from this window's settings, models, tools and approvals. */
export async function runtimeConfig(given: RuntimeOptions): Promise<RuntimeConfig> {
  const { allowedBySetting, ApprovalDecider, DispatchesOnlyFrontend, runHold, UsageCollector } =
    await features.run();
  const { parts, run, recorder, onEvent, frontend } = given;
  const { approvals, settings, models, log } = parts;
  const { memory } = run;
  const { conversation } = recorder;
  const limits = runLimits(settings);
  const ask = (prompt: ApprovalPrompt) => approvals.ask(conversation, prompt);
  return {
    model: given.model,
    resolveModel: (agent, inherited) => models.resolve(agent, inherited, memory.scripts),
    agents: given.agents,
    ...(await teamTools(given)),
    approvals: new ApprovalDecider({
      ask,
      onEvent,
      log,
      messageLog: recorder,
      clock: systemClock,
      remembered: memory.remembered,
      allowedBy: allowedBySetting(() => settings.get('allowRules'), log),
      numbers: approvals.numbers,
      shown: { frontend, conversation },
    }),
    runApprovalPolicy: settings.get('approvals'),
    hold: runHold(run),
    maxDepth: limitSetting(settings, 'limits.maxDepth'),
    folder: run.folder,
    limits,
    ...(limits.cost !== undefined && { prices: await ownPrices(settings) }),
    scheduler: run.scheduler,
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

/** The prices that a run's costs are limited by, as they are when it begins. */
async function ownPrices(settings: TeamParts['settings']): Promise<Prices> {
  const { loadUsablePrices } = await features.pricing();
  return await loadUsablePrices(settings.get('prices.file'));
}

/** The tools of this window's agents: the built-in ones on the workspace's files, and those registered in VS Code. */
async function teamTools({
  parts,
  run,
}: RuntimeOptions): Promise<Pick<RuntimeConfig, 'toolsFor' | 'executorFor'>> {
  const { agentTools, builtInTools, foreignTools, SchemaValidator, ToolRegistry } = await features.run();
  const { approved, workspace, log } = parts;
  const watcher = parts.watcherOf(run.conversation);
  const folders = workspace.folders.map(({ uri }) => uri.fsPath);
  const paths = (run.folder ? [run.folder] : folders).filter((path) => isAbsolute(path));
  const own = builtInTools(
    {
      guard: new PathGuard(paths, run.root),
      files: parts.files,
      seen: run.memory.seen,
      patterns: parts.patterns,
    },
    { host: process.env, watcher },
  );
  const taken = new Set(own.map(({ name }) => name));
  const foreign = foreignTools({ tools: parts.foreignTools, approved, folders: paths, log }, taken);
  const validator = new SchemaValidator();
  return {
    // Tools of other extensions only where the agent's file names them; an agent without a list gets the built-in ones.
    toolsFor: (agent, canDispatchTo) =>
      agentTools(agent.tools ? [...own, ...foreign] : own, agent, canDispatchTo),
    executorFor: (tools) => new ToolRegistry(tools, validator),
  };
}
