import type * as vscode from 'vscode';
import { Emitter, type Disposable } from '../../core/event.js';
import type { ApprovalAnswer } from '../../ports/approvals.js';
import type { Log } from '../../ports/log.js';
import type { LiveRuns } from '../../panel/ports.js';
import type { LiveState } from '../../protocol/panelState.js';
import { showError } from '../surfaces/notices.js';
import { plain } from '../../app/text/plainText.js';
import type { TeamRuns } from '../runs/teamRuns.js';
import { requireTrust } from '../workspaceFolders.js';
import type { EmbeddedChat } from './embeddedChat.js';
import { outcomeOfRun } from '../../app/runs/outcomeOfRun.js';
import type { UnsaidTexts } from '../../app/chat/draftStore.js';

/** The runs of this window, as the panels see them: messages from their chat boxes go over the editor's own bus. */
export class EditorChat implements LiveRuns, vscode.Disposable {
  readonly #runs: TeamRuns;
  readonly #unsaid: UnsaidTexts;
  readonly #log: Log;
  readonly #changed: Emitter<string>;
  readonly #following: readonly Disposable[];
  #chat: EmbeddedChat | undefined;

  constructor(runs: TeamRuns, unsaid: UnsaidTexts, log: Log) {
    this.#runs = runs;
    this.#unsaid = unsaid;
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

  #open(Chat: typeof EmbeddedChat): EmbeddedChat {
    const runs = this.#runs;
    const chat = new Chat({
      isBusy: (conversation) => runs.running.includes(conversation),
      idle: (conversation) => runs.idle(conversation),
      begin: async (turn) => {
        const { conversation, done } = await runs.start(turn);
        return { done: done.then((result) => outcomeOfRun(conversation, result)) };
      },
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
