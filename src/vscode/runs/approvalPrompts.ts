import * as vscode from 'vscode';
import { Emitter } from '../../core/event.js';
import type { ApprovalAnswer, ApprovalPrompt } from '../../ports/approvals.js';
import type { Log } from '../../ports/log.js';
import { plain } from '../notices.js';

interface Waiting {
  readonly prompt: ApprovalPrompt;
  readonly conversation: string;
  readonly settle: (answer: ApprovalAnswer | undefined) => void;
}

/** The longest text that VS Code's dialog shows as a whole; a longer one is shown in an editor first. */
const DIALOG_LIMIT = 1500;

const REVIEW = 'Review…';
const DENY = 'Deny';
const APPROVE = 'Approve';
const REMEMBER = 'Approve for This Session';

/** The approvals that wait for a person; each can be answered in a notification or in the panel, once. */
export class ApprovalPrompts implements vscode.Disposable {
  readonly #waiting = new Map<string, Waiting>();
  readonly #changed: Emitter<string>;
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
    this.#changed = new Emitter((error) => log.error('A view could not follow the approvals', error));
  }

  /** Fired with the conversation whose approvals changed. */
  get onDidChange() {
    return this.#changed.event;
  }

  /** What waits in a conversation, oldest first. */
  pending(conversation: string): readonly ApprovalPrompt[] {
    return [...this.#waiting.values()]
      .filter((waiting) => waiting.conversation === conversation)
      .map(({ prompt }) => prompt);
  }

  /** Puts an approval before the person; undefined when the run was ended first. */
  ask(conversation: string, prompt: ApprovalPrompt): Promise<ApprovalAnswer | undefined> {
    const { signal } = prompt.request;
    if (signal.aborted) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const abort = () => this.#settle(prompt.id, undefined);
      const settle = (answer: ApprovalAnswer | undefined) => {
        signal.removeEventListener('abort', abort);
        resolve(answer);
      };
      this.#waiting.set(prompt.id, { prompt, conversation, settle });
      signal.addEventListener('abort', abort, { once: true });
      this.#changed.fire(conversation);
      this.#notify(prompt).catch((error: unknown) =>
        this.#log.error('An approval could not be shown', error),
      );
    });
  }

  /** Answers a waiting approval; false where it does not wait any more. */
  answer(id: string, answer: ApprovalAnswer): boolean {
    return this.#settle(id, answer);
  }

  dispose(): void {
    for (const id of [...this.#waiting.keys()]) this.#settle(id, undefined);
    this.#changed.dispose();
  }

  #settle(id: string, answer: ApprovalAnswer | undefined): boolean {
    const waiting = this.#waiting.get(id);
    if (!waiting) return false;
    this.#waiting.delete(id);
    waiting.settle(answer);
    this.#changed.fire(waiting.conversation);
    return true;
  }

  async #notify({ id, request, number }: ApprovalPrompt): Promise<void> {
    const many = this.#waiting.size > 1 ? `(${number}) ` : '';
    const message = plain(`${many}${request.call.agent} asks: ${request.title}`);
    const pressed = await vscode.window.showWarningMessage(message, REVIEW, DENY);
    if (pressed === DENY) this.answer(id, { approved: false });
    if (pressed === REVIEW && this.#waiting.has(id)) await this.#review(id, message, request.subject);
  }

  /** Nothing is approved before its full text was shown. */
  async #review(id: string, message: string, subject: string): Promise<void> {
    const long = subject.length > DIALOG_LIMIT;
    if (long) {
      const document = await vscode.workspace.openTextDocument({ content: subject, language: 'plaintext' });
      await vscode.window.showTextDocument(document, { preview: true });
    }
    const detail = long ? 'The full text is open in the editor.' : subject;
    const options = { modal: !long, detail };
    const pressed = await vscode.window.showWarningMessage(message, options, APPROVE, REMEMBER, DENY);
    if (pressed === APPROVE) this.answer(id, { approved: true });
    if (pressed === REMEMBER) this.answer(id, { approved: true, remember: true });
    if (pressed === DENY) this.answer(id, { approved: false });
  }
}
