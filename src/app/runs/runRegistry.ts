import { inLanguage, t } from '../../core/l10n.js';
import { requireTrust, UNTRUSTED } from '../ports/workspace.js';
import type { Settings } from '../ports/settings.js';
import { readFailure, type FailedRun } from './failedRun.js';
import { onAbort } from '../../core/abort.js';
import { anyEvent, Emitter, mappedEvent, type Disposable, type Event } from '../../core/event.js';
import type { LiveRuns, LiveText } from '../../page/panel/ports.js';
import type { CatalogEntry, ConversationState } from '../../core/ports/transcript.js';
import type { LiveState } from '../../page/protocol/panelState.js';
import type { Model } from '../../core/ports/model.js';
import type { RunResult } from '../../agents/loop/agentSession.js';
import type { Scheduler } from '../../agents/loop/limits/scheduler.js';
import { UserError } from '../userError.js';
import { startRun } from './startRun.js';
import { ConversationMemories, type TeamParts } from './teamParts.js';
import { withTranscript } from '../transcripts/withTranscript.js';
import { LiveTexts } from '../services/liveTexts.js';
import { IMPORTED, prepareRun, type PreparedRun } from './preparedRun.js';
import { limitSetting } from '../ports/runLimits.js';
import type { RunRequest, StartedRun } from '../answers/runRequest.js';
import { features } from '../features/features.js';

/** The runs of this window: starts, records and tracks them. */
export class RunRegistry implements Omit<LiveRuns, 'continueConversation' | 'afterFailure'>, Disposable {
  /** Fires with the conversation whose run or approvals changed. */
  readonly onDidChangeState: Event<string>;
  /** Why runs are held before their next step, by conversation: a person is asked then, with these words, whether they go on. */
  readonly held = new Map<string, string>();
  readonly #parts: TeamParts;
  readonly #live = new Map<string, AbortController>();
  /** Why the last run of a conversation failed, until another one is begun there. */
  readonly #failures = new Map<string, FailedRun>();
  /** The conversations of which it was asked how their last run ended. */
  readonly #recalled = new Set<string>();
  readonly #memories = new ConversationMemories();
  readonly #changed: Emitter<string>;
  readonly #stopped: Emitter<string>;
  readonly #following: Disposable;
  readonly #texts: LiveTexts;
  readonly #states = new StateChanges();
  #scheduler: Promise<Scheduler> | undefined;

  constructor(parts: TeamParts) {
    this.#parts = parts;
    const onFailure = (error: unknown) => parts.log.error('A view could not follow the runs', error);
    this.#changed = new Emitter(onFailure);
    this.#stopped = new Emitter(onFailure);
    this.#texts = new LiveTexts(onFailure);
    this.#following = parts.stores.onDidChange(() => this.#followOtherWindows());
    this.onDidChangeState = anyEvent(
      this.#changed.event,
      mappedEvent(parts.approvals.onDidChange, ({ conversation }) => conversation),
    );
  }

  /** Fires with the conversation whose run was told to stop, by anyone. */
  get onDidStop() {
    return this.#stopped.event;
  }

  get onDidWrite() {
    return this.#texts.onDidWrite;
  }

  liveTexts(conversation: string): readonly LiveText[] {
    return this.#texts.in(conversation);
  }

  /** The conversations in which an agent is running. */
  get running(): readonly string[] {
    return [...this.#live.keys()];
  }

  stateOf(conversation: string): LiveState {
    const entry = this.#parts.stores.known(conversation);
    if (this.#live.has(conversation)) {
      const state = this.#parts.approvals.pending(conversation).length > 0 ? 'waiting' : 'running';
      return {
        state,
        canStop: true,
        canContinue: false,
        whyNot: stillRuns(),
      };
    }
    const state = entry?.state ?? 'unknown';
    const over = (whyNot: string): LiveState => ({ state, canStop: false, canContinue: false, whyNot });
    if (!entry) return over(t`The conversation is not there any more.`);
    if (!this.#parts.workspace.isTrusted) return over(inLanguage(UNTRUSTED));
    if (!entry.recordedHere && (entry.messages > 0 || entry.origin))
      // That it is no longer written says nothing of how it ended.
      return { ...over(inLanguage(IMPORTED)), state: state === 'done' ? 'unknown' : state };
    // What is shown from a file or an archive goes when nobody looks at it any more, and a run with it.
    if (this.#parts.stores.isUnlisted(conversation)) return over(inLanguage(IMPORTED));
    const failure = this.#failures.get(conversation);
    return {
      state,
      canStop: false,
      canContinue: true,
      ...(failure && { failure: { reason: failure.reason, ways: [...failure.ways] } }),
    };
  }

  /** Why the last run of a conversation failed; known when a run of this window is done, of others once recalled. */
  failureIn(conversation: string): FailedRun | undefined {
    return this.#failures.get(conversation);
  }

  async recallFailure(conversation: string): Promise<void> {
    this.#recalled.add(conversation);
    // This window knows more of its own runs than the record.
    if (this.#isKnown(conversation)) return;
    try {
      const { store, entry } = await this.#parts.stores.find(conversation);
      if (!hasFailed(entry)) return;
      const failure = await withTranscript(store, conversation, readFailure);
      if (!failure) return;
      const { ended, label, endpoint, scripted, agent, prompt } = failure;
      const address = endpoint === '' ? undefined : await this.#addressOf(endpoint);
      const other = address === undefined ? 'vscode' : 'http';
      const hasKey = await this.#hasKey(endpoint);
      const { failureReason, waysOn } = await features.transcripts();
      // A run may have begun, or failed, meanwhile.
      if (this.#isKnown(conversation) || !hasFailed(this.#parts.stores.known(conversation))) return;
      this.#failures.set(conversation, {
        conversation,
        prompt,
        endpoint,
        agent,
        reason: failureReason(ended, { label }, address, hasKey),
        ways: waysOn(ended, scripted ? 'scripted' : other),
      });
      this.#changed.fire(conversation);
    } catch (error) {
      this.#parts.log.warn(`How the last run of ${conversation} failed cannot be read`, error);
    }
  }

  /** Starts a run; resolves as soon as it has started. Rejects with an error for a person where it cannot. */
  async start(request: RunRequest): Promise<StartedRun> {
    requireTrust(this.#parts.workspace);
    const controller = new AbortController();
    const prepared = await prepareRun(request, this.#parts);
    const { conversation } = prepared;
    if (this.#live.has(conversation)) throw new UserError(stillRuns());
    this.#live.set(conversation, controller);
    this.#failures.delete(conversation);
    try {
      onAbort(controller.signal, () => this.#stopped.fire(conversation));
      const leave = onAbort(request.signal, () => controller.abort());
      const { done, model } = await startRun(this.#parts, {
        ...prepared,
        request,
        controller,
        texts: this.#texts,
        memory: this.#memories.of(conversation),
        scheduler: await (this.#scheduler ??= newScheduler(this.#parts.settings)),
        held: this.held,
        onEnd: () => this.#ended(conversation),
      });
      this.#changed.fire(conversation);
      const ended = done.then(async (result) => {
        leave();
        await this.#noteFailure(prepared, model, result);
        return result;
      });
      return { conversation, done: ended };
    } catch (error) {
      this.#ended(conversation);
      throw error;
    }
  }

  /** Resolves when no agent is running in a conversation and it can be continued; never rejects. */
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

  dispose(): void {
    this.stopAll();
    this.#following.dispose();
    this.#changed.dispose();
    this.#stopped.dispose();
    this.#texts.dispose();
  }

  /** A run of another window is seen in the catalog only: whoever shows its state must hear of its end. */
  #followOtherWindows(): void {
    const made = [...this.#failures.keys()].filter((conversation) => this.#isMadeGood(conversation));
    for (const conversation of made) this.#failures.delete(conversation);
    const changed = this.#states.update(this.#parts.stores.knownEntries);
    for (const conversation of new Set([...made, ...changed])) {
      if (this.#live.has(conversation)) continue;
      if (this.#recalled.has(conversation)) void this.recallFailure(conversation);
      this.#changed.fire(conversation);
    }
  }

  /** Whether a conversation whose last run failed has gone on well since, in another window. */
  #isMadeGood(conversation: string): boolean {
    const state = this.#parts.stores.known(conversation)?.state;
    return state === 'done' || state === 'cancelled';
  }

  /** Whether this window has begun the last run of a conversation. */
  #isKnown(conversation: string): boolean {
    return this.#live.has(conversation) || this.#failures.has(conversation);
  }

  async #noteFailure(
    { conversation, agent, prompt }: PreparedRun,
    model: Model,
    result: RunResult,
  ): Promise<void> {
    if (result.outcome === 'done' || result.outcome === 'cancelled') return;
    const { endpoint, kind } = model;
    const address = await this.#addressOf(endpoint);
    const hasKey = await this.#hasKey(endpoint);
    const { failureReason, waysOn } = await features.transcripts();
    // Another run may have begun meanwhile.
    if (this.#live.has(conversation)) return;
    this.#failures.set(conversation, {
      conversation,
      prompt,
      endpoint,
      agent: agent.name,
      reason: failureReason(result, model, address, hasKey),
      ways: waysOn(result, kind),
    });
    this.#changed.fire(conversation);
  }

  async #hasKey(endpoint: string): Promise<boolean> {
    return (await this.#parts.models.keys.get(endpoint)) !== undefined;
  }

  async #addressOf(endpoint: string): Promise<string | undefined> {
    try {
      return await this.#parts.models.addressOf(endpoint);
    } catch (error) {
      this.#parts.log.warn(`The address of ${endpoint} cannot be told`, error);
      return undefined;
    }
  }

  #ended(conversation: string): void {
    this.#live.delete(conversation);
    this.held.delete(conversation);
    this.#texts.forget(conversation);
    this.#changed.fire(conversation);
  }
}

const stillRuns = () => t`An agent still runs in this conversation.`;

/** Whether the last run of a conversation has failed, or was interrupted. */
function hasFailed(entry: CatalogEntry | undefined): boolean {
  return entry?.state === 'failed' || entry?.state === 'limited' || entry?.state === 'interrupted';
}

async function newScheduler(settings: Settings): Promise<Scheduler> {
  const { Scheduler } = await features.run();
  return new Scheduler({ requestsAtOnce: limitSetting(settings, 'limits.maxRequestsAtOnce') });
}

/** Finds the conversations whose state has changed between two looks at the catalog. */
export class StateChanges {
  #states: ReadonlyMap<string, ConversationState> = new Map();

  /** The conversations that were there at the last look in another state. */
  update(entries: readonly Pick<CatalogEntry, 'conversation' | 'state'>[]): readonly string[] {
    const before = this.#states;
    this.#states = new Map(entries.map(({ conversation, state }) => [conversation, state]));
    return [...this.#states].flatMap(([conversation, state]) => {
      const known = before.get(conversation);
      return known === undefined || known === state ? [] : [conversation];
    });
  }
}
