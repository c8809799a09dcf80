import type * as vscode from 'vscode';
import { Emitter, type Disposable } from '../../core/event.js';
import type { ApprovalAnswer } from '../../ports/approvals.js';
import type { FailureWay } from '../../ports/failureWays.js';
import type { Log } from '../../ports/log.js';
import type { LiveRuns } from '../../panel/ports.js';
import type { LiveState } from '../../protocol/panelState.js';
import { showError } from '../surfaces/notices.js';
import { plain } from '../../app/text/plainText.js';
import type { PanelsInView } from '../panel/panelsInView.js';
import { take, tellFailure } from '../runs/failedRun.js';
import type { TeamRuns } from '../runs/teamRuns.js';
import { UserError } from '../../app/userError.js';
import { requireTrust } from '../workspaceFolders.js';
import type { EmbeddedChat, EmbeddedTurn } from './embeddedChat.js';
import { outcomeOfRun } from '../../app/runs/outcomeOfRun.js';
import type { UnsaidTexts } from '../../app/chat/draftStore.js';

/** The runs of this window, as the panels see them: messages from their chat boxes go over the editor's own bus. */
export class EditorChat implements LiveRuns, vscode.Disposable {
  readonly #runs: TeamRuns;
  readonly #unsaid: UnsaidTexts;
  readonly #inView: PanelsInView;
  readonly #log: Log;
  readonly #changed: Emitter<string>;
  readonly #following: readonly Disposable[];
  #chat: EmbeddedChat | undefined;

  constructor(runs: TeamRuns, unsaid: UnsaidTexts, inView: PanelsInView, log: Log) {
    this.#runs = runs;
    this.#unsaid = unsaid;
    this.#inView = inView;
    this.#log = log;
    this.#changed = new Emitter((error) => log.error('A panel could not follow the runs', error));
    this.#following = [
      runs.onDidChangeState((conversation) => this.#changed.fire(conversation)),
      runs.onDidStop((conversation) => this.#chat?.forget(conversation)),
    ];
  }

  get onDidChangeState() {
    return this.#changed.event;
  }

  get onDidWrite() {
    return this.#runs.onDidWrite;
  }

  liveTexts(conversation: string) {
    return this.#runs.liveTexts(conversation);
  }

  stateOf(conversation: string): LiveState {
    const { state, canStop, ...rest } = this.#runs.stateOf(conversation);
    if (!canStop) return { state, canStop, ...rest };
    return { state, canStop, canContinue: true, queued: this.#chat?.waiting(conversation) ?? 0 };
  }

  /** Sends a message; while an agent runs, it is queued. Rejects with an error for a person. */
  async continueConversation(conversation: string, text: string): Promise<void> {
    requireTrust();
    await (await this.#loaded()).say(conversation, text);
  }

  async afterFailure(conversation: string, way: FailureWay): Promise<void> {
    const failure = this.#runs.failureIn(conversation);
    if (!failure) throw new UserError('The conversation has gone on meanwhile.');
    if (way === 'Retry') {
      await this.continueConversation(conversation, failure.prompt);
      return;
    }
    await take(failure, way);
  }

  stop(conversation: string): void {
    this.#runs.stop(conversation);
  }

  pendingApprovals(conversation: string) {
    return this.#runs.pendingApprovals(conversation);
  }

  answerApproval(id: string, answer: ApprovalAnswer): boolean {
    return this.#runs.answerApproval(id, answer);
  }

  /** To be called when the window closes: queued messages are left for the next one. */
  close(): void {
    this.#chat?.close();
  }

  dispose(): void {
    for (const following of this.#following) following.dispose();
    void this.#chat?.stop();
    this.#changed.dispose();
  }

  async #loaded(): Promise<EmbeddedChat> {
    const { EmbeddedChat } = await import('./embeddedChat.js');
    this.#chat ??= this.#open(EmbeddedChat);
    return this.#chat;
  }

  /** Starts a run, whose failure is told unless its panel is in view, which then tells it. */
  async #begin(turn: EmbeddedTurn) {
    const { conversation, done } = await this.#runs.start(turn);
    const ended = done.then((result) => {
      const failure = this.#runs.failureIn(conversation);
      if (failure && !this.#inView.isVisible(conversation)) void tellFailure(failure, this.#log);
      return outcomeOfRun(conversation, result);
    });
    return { done: ended };
  }

  #open(Chat: typeof EmbeddedChat): EmbeddedChat {
    const runs = this.#runs;
    const chat = new Chat({
      isBusy: (conversation) => runs.running.includes(conversation),
      idle: (conversation) => runs.idle(conversation),
      begin: (turn) => this.#begin(turn),
      keepWaiting: (conversation, prompts) => this.#unsaid.keepWaiting(conversation, prompts),
      onUnsaid: ({ conversation, prompt }, problem) => {
        void this.#unsaid.putBack(conversation, prompt);
        if (problem !== undefined) void showError(plain(problem));
      },
      log: this.#log,
    });
    chat.onDidChange((conversation) => this.#changed.fire(conversation));
    return chat;
  }
}
