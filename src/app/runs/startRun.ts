import { t } from '../../core/l10n.js';
import type { OneRun, TeamParts } from './teamParts.js';
import type { Model } from '../../core/ports/model.js';
import type { RunResult } from '../../agents/loop/agentSession.js';
import { RunStop } from '../../agents/loop/runScope.js';
import { levelOf } from '../../agents/loop/runtimeEvent.js';
import { logUnusedSteps } from '../models/endpointOptions.js';
import { runtimeConfig } from './runtimeConfig.js';
import { features } from '../features/features.js';
import type { Journal } from '../../core/ports/journal.js';
import type { Log } from '../../core/ports/log.js';
import type { MessageAccumulator } from '../../core/record/messageAccumulator.js';
import { Recorder } from '../../core/record/recorder.js';
import type { Settings } from '../ports/settings.js';
import { UserError } from '../userError.js';
import type { PreparedRun } from './preparedRun.js';

/** Runs the agent, recorded and shown; resolves when it has started, with a promise that never rejects. */
export async function startRun(
  parts: TeamParts,
  run: OneRun,
): Promise<{ done: Promise<RunResult>; model: Model }> {
  const { library, models, settings, log } = parts;
  const { request, agent, conversation, prompt, history, goingOn, memory, controller } = run;
  const { signal } = controller;
  const attended = request.attended ?? true;
  const model = await models.entryModel(agent, { begun: memory.scripts, attended, signal });
  await request.mayBegin?.(model);
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
  if (history) session.update(history);
  const runToEnd = async () => {
    try {
      return await session.run(prompt, { signal, goingOn });
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

/** The recorder of one run, and the journal behind it. */
interface RunRecording {
  readonly recorder: Recorder;
  /** Stops recording; resolves when the conversation can be continued. */
  close(): Promise<void>;
}

/** Opens the journal of a run; `onFull` is called when too much waits in memory. */
async function openRecording(
  prepared: PreparedRun,
  parts: {
    readonly accumulator: MessageAccumulator;
    readonly settings: Settings;
    readonly log: Log;
    onFull(): void;
  },
): Promise<RunRecording> {
  const { journal, lastSeq } = await openJournal(prepared);
  const recorder = new Recorder({
    conversation: prepared.conversation,
    lastSeq,
    accumulator: parts.settings.get('recording.accumulator') ? parts.accumulator : undefined,
    onListenerFailure: (error) => parts.log.error('A subscriber of the record failed', error),
  });
  recorder.onDidRecord((record) => journal.append(record));
  recorder.onDidSay((piece) => journal.say?.(piece));
  journal.onDidChange(({ full }) => {
    if (full === true) parts.onFull();
  });
  return {
    recorder,
    close: () => {
      recorder.dispose();
      return closed(journal);
    },
  };
}

async function openJournal({
  store,
  conversation,
  history,
}: PreparedRun): Promise<{ journal: Journal; lastSeq: number }> {
  if (!history) return { journal: await store.createConversation(conversation), lastSeq: 0 };
  const resumed = await store.resumeConversation(conversation);
  if ('refused' in resumed) throw new UserError(resumed.refused);
  return resumed;
}

/** Closes the journal; where the store cannot be written now, resolves at once while the journal keeps waiting. */
async function closed(journal: Journal): Promise<void> {
  const { problem } = await journal.flush();
  const closing = journal.close();
  if (problem === undefined) await closing;
}
