import * as vscode from 'vscode';
import type { AgentDefinition } from '../../core/agent.js';
import { Emitter, type Disposable } from '../../core/event.js';
import { newConversationId } from '../../core/ids.js';
import type { ApprovalAnswer, ApprovalPrompt } from '../../ports/approvals.js';
import type { Frontend } from '../../ports/frontend.js';
import type { Log } from '../../ports/log.js';
import type { Journal } from '../../ports/journal.js';
import type { LiveRuns } from '../../panel/ports.js';
import type { LiveState } from '../../protocol/protocol.js';
import type { MessageAccumulator } from '../../record/messageAccumulator.js';
import { Recorder } from '../../record/recorder.js';
import type { RunResult } from '../../runtime/agentSession.js';
import type { RuntimeEvent } from '../../runtime/runtimeEvent.js';
import { RunStop } from '../../runtime/runScope.js';
import type { Scheduler } from '../../runtime/limits/scheduler.js';
import type { LogbookStore } from '../../store/logbookStore.js';
import type { ToolPins } from '../../tools/foreignTool.js';
import type { AgentLibrary } from '../agentLibrary.js';
import type { Logbooks } from '../logbooks.js';
import type { ModelShelf } from '../models/modelShelf.js';
import { logUnusedSteps } from '../models/scriptOffers.js';
import { setting } from '../settings.js';
import { UserError } from '../userError.js';
import { requireTrust, UNTRUSTED, workingFolder } from '../workspaceFolders.js';
import type { ApprovalPrompts } from './approvalPrompts.js';
import type { CommandTerminals } from './commandTerminals.js';
import { readEntryHistory, type EntryHistory } from '../reading/entryHistory.js';
import { withTranscript } from '../reading/withTranscript.js';
import { ConversationMemories } from './conversationMemories.js';
import { limitSetting } from './runLimits.js';
import { runtimeConfig } from './runtimeParts.js';

export interface RunRequest {
  readonly prompt: string;
  /** The entry agent; for a conversation that goes on, the one it began with when left out. */
  readonly agent?: AgentDefinition;
  /** The conversation to go on with; a new one when left out. */
  readonly conversation?: string;
  /** Where this run's dispatches are shown besides the output channel. */
  readonly frontend?: { readonly name: string; readonly frontend: Frontend };
  readonly signal?: AbortSignal;
  /** False where the one who prompts does not sit at this window; by default he does. */
  readonly attended?: boolean;
  onEvent?(event: RuntimeEvent): void;
}

export interface StartedRun {
  readonly conversation: string;
  /** Never rejects. */
  readonly done: Promise<RunResult>;
}

export interface TeamRunsDeps {
  readonly library: AgentLibrary;
  readonly logbooks: Logbooks;
  readonly models: ModelShelf;
  readonly prompts: ApprovalPrompts;
  /** Which definitions of foreign tools were allowed. */
  readonly pins: ToolPins;
  readonly terminals: CommandTerminals;
  readonly accumulator: MessageAccumulator;
  readonly channel: Frontend;
  readonly log: Log;
}

interface Prepared {
  readonly store: LogbookStore;
  readonly root: string;
  readonly agent: AgentDefinition;
  readonly history?: EntryHistory;
  readonly conversation: string;
}

/** The runs of this window: starts them, records them, and knows which go on. */
export class TeamRuns implements Omit<LiveRuns, 'continueConversation'>, vscode.Disposable {
  readonly #deps: TeamRunsDeps;
  readonly #live = new Map<string, AbortController>();
  readonly #memories = new ConversationMemories();
  readonly #changed: Emitter<string>;
  readonly #stopped: Emitter<string>;
  readonly #following: Disposable;
  #scheduler: Promise<Scheduler> | undefined;

  constructor(deps: TeamRunsDeps) {
    this.#deps = deps;
    const onFailure = (error: unknown) => deps.log.error('A view could not follow the runs', error);
    this.#changed = new Emitter(onFailure);
    this.#stopped = new Emitter(onFailure);
    this.#following = deps.prompts.onDidChange((conversation) => this.#changed.fire(conversation));
  }

  /** Fired with the conversation whose run is told to stop, by whomever. */
  get onDidStop() {
    return this.#stopped.event;
  }

  get onDidChangeState() {
    return this.#changed.event;
  }

  /** The conversations in which an agent runs now. */
  get running(): readonly string[] {
    return [...this.#live.keys()];
  }

  stateOf(conversation: string): LiveState {
    const entry = this.#deps.logbooks.known(conversation);
    if (this.#live.has(conversation)) {
      const state = this.pendingApprovals(conversation).length > 0 ? 'waiting' : 'running';
      return {
        state,
        canStop: true,
        canContinue: false,
        whyNot: 'An agent still runs in this conversation.',
      };
    }
    const state = entry?.state ?? 'unknown';
    if (!entry)
      return { state, canStop: false, canContinue: false, whyNot: 'The conversation is not there any more.' };
    if (!vscode.workspace.isTrusted) return { state, canStop: false, canContinue: false, whyNot: UNTRUSTED };
    return { state, canStop: false, canContinue: true };
  }

  /** Begins a run; resolves as soon as it has begun. Rejects with words for a person when it cannot. */
  async start(request: RunRequest): Promise<StartedRun> {
    requireTrust();
    const controller = new AbortController();
    const prepared = await this.#prepare(request);
    const { conversation } = prepared;
    if (this.#live.has(conversation)) throw new UserError('An agent still runs in this conversation.');
    this.#live.set(conversation, controller);
    try {
      controller.signal.addEventListener('abort', () => this.#stopped.fire(conversation), { once: true });
      const abort = () => controller.abort();
      request.signal?.addEventListener('abort', abort, { once: true });
      if (request.signal?.aborted === true) abort();
      const { done } = await this.#begin(request, prepared, controller);
      this.#changed.fire(conversation);
      void done.finally(() => request.signal?.removeEventListener('abort', abort));
      return { conversation, done };
    } catch (error) {
      this.#ended(conversation);
      throw error;
    }
  }

  /** Resolves when no agent runs in a conversation any more and it can be gone on with; never rejects. */
  async idle(conversation: string): Promise<void> {
    while (this.#live.has(conversation)) {
      await new Promise<void>((resolve) => {
        const following = this.#changed.event(() => {
          following.dispose();
          resolve();
        });
      });
    }
  }

  stop(conversation: string): void {
    this.#live.get(conversation)?.abort();
  }

  stopAll(): void {
    for (const controller of this.#live.values()) controller.abort();
  }

  pendingApprovals(conversation: string): readonly ApprovalPrompt[] {
    return this.#deps.prompts.pending(conversation);
  }

  answerApproval(id: string, answer: ApprovalAnswer): boolean {
    return this.#deps.prompts.answer(id, answer);
  }

  dispose(): void {
    this.stopAll();
    this.#following.dispose();
    this.#changed.dispose();
    this.#stopped.dispose();
  }

  async #prepare({ conversation, agent }: RunRequest): Promise<Prepared> {
    const { logbooks, library } = this.#deps;
    if (conversation === undefined) {
      if (!agent) throw new UserError('Choose an agent to run.');
      const opened = await logbooks.storeFor(workingFolder(agent.path));
      return { ...opened, agent, conversation: newConversationId(Date.now()) };
    }
    const { store, root } = await logbooks.find(conversation);
    const history = await withTranscript(store, conversation, readEntryHistory);
    const entry = agent ?? (await library.agents()).find(({ name }) => name === history.agent);
    if (!entry)
      throw new UserError(`The agent ${history.agent ?? ''} of this conversation is not there any more.`);
    return { store, root, agent: entry, history, conversation };
  }

  async #begin(
    request: RunRequest,
    prepared: Prepared,
    controller: AbortController,
  ): Promise<{ done: Promise<RunResult> }> {
    const { models, accumulator, log, library, prompts, pins, terminals } = this.#deps;
    const { agent, conversation, history } = prepared;
    const memory = this.#memories.of(conversation);
    const model = await models.entryModel(agent, {
      begun: memory.scripts,
      attended: request.attended ?? true,
      signal: controller.signal,
    });
    const [{ AgentSession }, { FrontendHub }] = await Promise.all([
      import('../../runtime/agentSession.js'),
      import('../../frontends/frontendHub.js'),
    ]);
    const agents = await library.agents();
    const scheduler = await (this.#scheduler ??= newScheduler());
    const { journal, lastSeq } = await openJournal(prepared);
    const recorder = new Recorder({
      conversation,
      lastSeq,
      accumulator: setting('recording.accumulator') ? accumulator : undefined,
      onListenerFailure: (error) => log.error('A subscriber of the record failed', error),
    });
    recorder.onDidRecord((record) => journal.append(record));
    journal.onDidChange(({ full }) => {
      if (full === true) controller.abort(storeIsFull());
    });
    const hub = new FrontendHub({ log });
    hub.add('output channel', this.#deps.channel);
    if (request.frontend) hub.add(request.frontend.name, request.frontend.frontend);
    const config = await runtimeConfig({
      folders: vscode.workspace.workspaceFolders ?? [],
      store: prepared.root,
      ...{ agents, scheduler, model, models, recorder, prompts, memory, pins, log, frontend: hub },
      watcher: terminals.watcher(conversation),
      onEvent: (event) => request.onEvent?.(event),
    }).catch(async (error: unknown) => {
      // A journal that stays open would keep the conversation from ever being gone on with.
      recorder.dispose();
      hub.dispose();
      await closed(journal);
      throw error;
    });
    const session = new AgentSession(conversation, agent, config);
    if (history) session.update(history.messages);
    const done = session.run(request.prompt, { signal: controller.signal }).finally(async () => {
      logUnusedSteps(memory.scripts, log);
      recorder.dispose();
      // Only now can the conversation be gone on with; a frontend that is still busy is no reason to wait.
      await closed(journal).finally(() => this.#ended(conversation));
      await hub.idle();
      hub.dispose();
    });
    return { done };
  }

  #ended(conversation: string): void {
    this.#live.delete(conversation);
    this.#changed.fire(conversation);
  }
}

/** Resolves when the journal is closed; where the store cannot be written now, it waits for that by itself. */
async function closed(journal: Journal): Promise<void> {
  const { problem } = await journal.flush();
  const closing = journal.close();
  if (problem === undefined) await closing;
}

async function openJournal({
  store,
  conversation,
  history,
}: Prepared): Promise<{ journal: Journal; lastSeq: number }> {
  if (!history) return { journal: await store.createConversation(conversation), lastSeq: 0 };
  const resumed = await store.resumeConversation(conversation);
  if ('refused' in resumed) throw new UserError(resumed.refused);
  return resumed;
}

function storeIsFull(): RunStop {
  return new RunStop('store', 'Too many messages wait in memory, because the store cannot be written.');
}

async function newScheduler(): Promise<Scheduler> {
  const { Scheduler } = await import('../../runtime/limits/scheduler.js');
  return new Scheduler({ requestsAtOnce: limitSetting('limits.maxRequestsAtOnce') });
}
