import * as vscode from 'vscode';
import type { Frontend } from '../../ports/frontend.js';
import type { Log } from '../../ports/log.js';
import type { Model } from '../../ports/model.js';
import type { MessageAccumulator } from '../../record/messageAccumulator.js';
import type { RunResult } from '../../runtime/agentSession.js';
import type { Scheduler } from '../../runtime/limits/scheduler.js';
import { RunStop } from '../../runtime/runScope.js';
import { levelOf } from '../../runtime/runtimeEvent.js';
import type { ToolPins } from '../../tools/foreignTool.js';
import type { AgentLibrary } from '../agentLibrary.js';
import type { Logbooks } from '../../app/stores/logbooks.js';
import type { ModelShelf } from '../../app/models/modelShelf.js';
import { logUnusedSteps } from '../../app/models/modelOffer.js';
import { setting } from '../settings.js';
import type { ApprovalPrompts } from './approvalPrompts.js';
import type { CommandTerminals } from './commandTerminals.js';
import type { ConversationMemory } from '../../app/runs/conversationMemories.js';
import type { LiveTexts } from '../../app/runs/liveTexts.js';
import type { PreparedRun } from './preparedRun.js';
import { openRecording } from './runRecording.js';
import type { RunRequest } from '../../app/runs/runRequest.js';
import { runtimeConfig } from './runtimeParts.js';

/** What all runs of a window share. */
export interface TeamParts {
  readonly library: AgentLibrary;
  readonly logbooks: Logbooks;
  readonly models: ModelShelf;
  readonly prompts: ApprovalPrompts;
  /** The definitions of other extensions' tools that were allowed. */
  readonly pins: ToolPins;
  readonly terminals: CommandTerminals;
  readonly accumulator: MessageAccumulator;
  readonly channel: Frontend;
  readonly log: Log;
}

/** What is specific to one run. */
export interface OneRun extends PreparedRun {
  readonly request: RunRequest;
  readonly memory: ConversationMemory;
  readonly scheduler: Scheduler;
  readonly controller: AbortController;
  /** What the run's agents are writing. */
  readonly texts: LiveTexts;
  /** Called when the conversation can be continued. */
  onEnd(): void;
}

/** Runs the agent, recorded and shown; resolves when it has started, with a promise that never rejects. */
export async function beginRun(
  parts: TeamParts,
  run: OneRun,
): Promise<{ done: Promise<RunResult>; model: Model }> {
  const { library, models, log } = parts;
  const { request, agent, conversation, history, memory, controller } = run;
  const { signal } = controller;
  const attended = request.attended ?? true;
  const model = await models.entryModel(agent, { begun: memory.scripts, attended, signal });
  const [{ AgentSession }, { FrontendHub }, agents] = await Promise.all([
    import('../../runtime/agentSession.js'),
    import('../../frontends/frontendHub.js'),
    library.agents(),
  ]);
  const onFull = () => controller.abort(storeIsFull());
  const recording = await openRecording(run, { accumulator: parts.accumulator, log, onFull });
  const { recorder } = recording;
  const hub = new FrontendHub({ log });
  hub.add('output channel', parts.channel);
  const verbosity = setting('verbosity');
  if (request.frontend) hub.add(request.frontend.name, request.frontend.frontend);
  const config = await runtimeConfig({
    ...{ agents, model, models, recorder, memory, log, frontend: hub, scheduler: run.scheduler },
    ...{ prompts: parts.prompts, pins: parts.pins, watcher: parts.terminals.watcher(conversation) },
    folders: vscode.workspace.workspaceFolders ?? [],
    store: run.root,
    onEvent: (event) => {
      run.texts.hear(conversation, event);
      if (levelOf(event) <= verbosity) request.onEvent?.(event);
    },
  }).catch(async (error: unknown) => {
    // An open journal would keep the conversation from ever being continued.
    hub.dispose();
    await recording.close();
    throw error;
  });
  const session = new AgentSession(conversation, agent, config);
  if (history) session.update(history.messages);
  const done = session.run(request.prompt, { signal }).finally(async () => {
    logUnusedSteps(memory.scripts, log);
    // Only now can the conversation be continued; a frontend that is still busy is no reason to wait.
    await recording.close().finally(() => run.onEnd());
    await hub.idle();
    hub.dispose();
  });
  return { done, model };
}

function storeIsFull(): RunStop {
  return new RunStop('store', 'Too many messages wait in memory, because the store cannot be written.');
}
