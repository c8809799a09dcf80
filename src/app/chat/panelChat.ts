import { t } from '../../core/l10n.js';
import { anyEvent, type Disposable, type Event } from '../../core/event.js';
import type { LiveRuns } from '../../page/panel/ports.js';
import type { FailureWay } from '../../core/ports/failureWays.js';
import type { Log } from '../../core/ports/log.js';
import type { LiveState } from '../../page/protocol/panelState.js';
import type { PanelsInView } from '../panel/panelsInView.js';
import type { Host } from '../ports/host.js';
import { requireTrust } from '../ports/workspace.js';
import type { FailureViews } from '../runs/failedRun.js';
import type { RunRegistry } from '../runs/runRegistry.js';
import type { ShownFiles } from '../services/shownFiles.js';
import { plain } from '../text/plainText.js';
import { UserError } from '../userError.js';
import { ChatQueue, type ChatTurn } from './chatQueue.js';
import type { DraftStore } from './draftStore.js';

/** What the chat boxes work with. */
export interface PanelChatOptions extends Pick<Host, 'workspace' | 'dialogs'> {
  readonly runs: RunRegistry;
  readonly drafts: DraftStore;
  readonly inView: PanelsInView;
  readonly failures: FailureViews;
  /** The files that others write, which are shown where they are. */
  readonly shown: Pick<ShownFiles, 'isLive' | 'onDidChangeLife' | 'onDidWrite' | 'liveTexts'>;
  readonly log: Log;
}

/** The runs of this window as the panels see them, and the messages of their chat boxes. */
export class PanelChat implements LiveRuns, Disposable {
  readonly onDidChangeState: Event<string>;
  readonly onDidWrite: Event<string>;
  readonly #options: PanelChatOptions;
  readonly #queue: ChatQueue;
  readonly #following: Disposable;

  constructor(options: PanelChatOptions) {
    const { runs, drafts, inView, dialogs, shown, log } = options;
    this.#options = options;
    this.#queue = new ChatQueue({
      isBusy: (conversation) => runs.running.includes(conversation),
      idle: (conversation) => runs.idle(conversation),
      begin: (turn) => this.#begin(turn),
      saveWaiting: (conversation, prompts) => drafts.keepWaiting(conversation, prompts),
      onNotRun: ({ conversation, prompt }, problem) => {
        void drafts.putBack(conversation, prompt, problem);
        // A panel in front says it above its messages.
        if (problem !== undefined && !inView.isVisible(conversation)) void dialogs.showError(plain(problem));
      },
      log,
    });
    this.onDidChangeState = anyEvent(runs.onDidChangeState, this.#queue.onDidChange, shown.onDidChangeLife);
    this.onDidWrite = anyEvent(runs.onDidWrite, shown.onDidWrite);
    this.#following = runs.onDidStop((conversation) => this.#queue.forget(conversation));
  }

  liveTexts(conversation: string) {
    const { runs, shown } = this.#options;
    return [...runs.liveTexts(conversation), ...shown.liveTexts(conversation)];
  }

  stateOf(conversation: string): LiveState {
    const { runs, shown } = this.#options;
    const { state, canStop, ...rest } = runs.stateOf(conversation);
    // An agent of another tool is at work; it cannot be stopped from here.
    if (!canStop) return { state: shown.isLive(conversation) ? 'running' : state, canStop, ...rest };
    return { state, canStop, canContinue: true, queued: this.#queue.waiting(conversation) };
  }

  /** Sends a message; while an agent runs, it is queued. Rejects with an error for a person. */
  async continueConversation(conversation: string, text: string): Promise<void> {
    requireTrust(this.#options.workspace);
    await this.#queue.say(conversation, text);
  }

  recallFailure(conversation: string): Promise<void> {
    return this.#options.runs.recallFailure(conversation);
  }

  async afterFailure(conversation: string, way: FailureWay): Promise<void> {
    const failure = this.#options.runs.failureIn(conversation);
    if (!failure) throw new UserError(t`The conversation has gone on meanwhile.`);
    if (way === 'Retry') await this.continueConversation(conversation, failure.prompt);
    else await this.#options.failures.take(failure, way);
  }

  stop(conversation: string): void {
    this.#options.runs.stop(conversation);
  }

  /** To be called when the window closes: queued messages are left for the next one. */
  close(): void {
    this.#queue.close();
  }

  dispose(): void {
    this.#following.dispose();
    this.#queue.dispose();
  }

  /** Starts a run, whose failure is told unless its panel is in view, which then tells it. */
  async #begin(turn: ChatTurn): Promise<void> {
    const { runs, inView, failures } = this.#options;
    const { conversation, done } = await runs.start(turn);
    void done.then(() => {
      const failure = runs.failureIn(conversation);
      if (failure && !inView.isVisible(conversation)) void failures.show(failure);
    });
  }
}
