import { t } from '../../core/l10n.js';
import type { OneRun, TeamParts } from './teamParts.js';
import type { Model } from '../../core/ports/model.js';
import type { RunResult } from '../../agents/loop/agentSession.js';
import { RunStop } from '../../agents/loop/runScope.js';
import { levelOf } from '../../agents/loop/runtimeEvent.js';
import { logUnusedSteps } from '../models/modelOption.js';
import { openRecording } from './runRecording.js';
import { runtimeConfig } from './runtimeConfig.js';
import { features } from '../features/features.js';

/** Runs the agent, recorded and shown; resolves when it has started, with a promise that never rejects. */
export async function startRun(
  parts: TeamParts,
  run: OneRun,
): Promise<{ done: Promise<RunResult>; model: Model }> {
  const { library, models, settings, log } = parts;
  const { request, agent, conversation, history, memory, controller } = run;
  const { signal } = controller;
  const attended = request.attended ?? true;
  const model = await models.entryModel(agent, { begun: memory.scripts, attended, signal });
  const [{ AgentSession, FrontendHub }, agents] = await Promise.all([features.run(), library.agents()]);
  const onFull = () => controller.abort(storeIsFull());
  const recording = await openRecording(run, { accumulator: parts.accumulator, settings, log, onFull });
  const { recorder } = recording;
  const hub = new FrontendHub({ log });
  hub.add('output channel', parts.channel);
  const verbosity = settings.get('verbosity');
  if (request.frontend) hub.add(request.frontend.name, request.frontend.frontend);
  const config = await runtimeConfig({
    parts,
    run,
    agents,
    model,
    recorder,
    frontend: hub,
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
  const runToEnd = async () => {
    try {
      return await session.run(request.prompt, { signal });
    } finally {
      logUnusedSteps(memory.scripts, log);
      // Only now can the conversation be continued; a frontend that is still busy is no reason to wait.
      await recording.close().finally(() => run.onEnd());
      await hub.idle();
      hub.dispose();
    }
  };
  return { done: runToEnd(), model };
}

function storeIsFull(): RunStop {
  return new RunStop('store', t`Too many messages wait in memory, because the store cannot be written.`);
}
