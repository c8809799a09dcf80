import * as vscode from 'vscode';
import { onAbort } from '../../core/abort.js';
import { distinctName } from '../../core/lookalikes.js';
import { Emitter, type Disposable } from '../../core/event.js';
import { visibleText } from '../../core/visibleText.js';
import { MAX_SHOWN_SUBJECT, type ApprovalAnswer, type ApprovalPrompt } from '../../ports/approvals.js';
import type { Log } from '../../ports/log.js';
import type { PanelsInView } from '../panel/panelsInView.js';
import { askInDialog, hideToasts, showInformation, showWarning } from '../surfaces/notices.js';
import { wholeText, words, type PlainText } from '../../app/text/plainText.js';

interface Waiting {
  readonly prompt: ApprovalPrompt;
  readonly conversation: string;
  readonly settle: (answer: ApprovalAnswer | undefined) => void;
  /** Whether a notice asks for it, which VS Code can only move out of sight. */
  isNotified: boolean;
}

/** The longest text that a dialog shows in full, in UTF-16 code units; a longer one is shown in an editor first. */
const DIALOG_LIMIT = 1500;
const DIALOG_LINES = 25;

/** The scheme of the read-only documents in which long texts are shown. */
const SCHEME = 'agent-logbook-approval';

const REVIEW = 'Review…';
const DENY = 'Deny';
const APPROVE = 'Approve';
const LATER = 'Later';
const REMEMBER = 'Approve for This Session';

/**
 * The approvals that wait for a person; each can be answered once, in a notification or in the panel. No notification
 * covers the panel that asks for the same.
 */
export class ApprovalPrompts implements vscode.Disposable {
  readonly #waiting = new Map<string, Waiting>();
  readonly #changed: Emitter<string>;
  readonly #inView: PanelsInView;
  readonly #following: Disposable;
  readonly #log: Log;
  readonly #documents: vscode.Disposable;
  #lastNumber = 0;

  constructor(inView: PanelsInView, log: Log) {
    this.#inView = inView;
    this.#log = log;
    this.#following = inView.onDidChange((conversation) => this.#followPanel(conversation));
    this.#documents = vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
      provideTextDocumentContent: ({ query }) => {
        const waiting = this.#waiting.get(query);
        return waiting ? fullText(waiting.prompt) : 'This does not wait for an answer any more.';
      },
    });
    this.#changed = new Emitter((error) => log.error('A view could not follow the approvals', error));
  }

  /** Fires with the conversation whose approvals changed. */
  get onDidChange() {
    return this.#changed.event;
  }

  /** The approvals that wait in a conversation, oldest first. */
  pending(conversation: string): readonly ApprovalPrompt[] {
    return [...this.#waiting.values()]
      .filter((waiting) => waiting.conversation === conversation)
      .map(({ prompt }) => prompt);
  }

  /**
   * Asks the person for approval; undefined when the run ended first. Its number is unique among those that wait in this
   * window, whatever their conversation.
   */
  ask(conversation: string, given: ApprovalPrompt): Promise<ApprovalAnswer | undefined> {
    const { signal } = given.request;
    if (signal.aborted) return Promise.resolve(undefined);
    this.#lastNumber = this.#waiting.size === 0 ? 1 : this.#lastNumber + 1;
    const prompt = { ...given, number: this.#lastNumber };
    return new Promise((resolve) => {
      const settle = (answer: ApprovalAnswer | undefined) => {
        leave();
        resolve(answer);
      };
      const waiting = { prompt, conversation, settle, isNotified: false };
      this.#waiting.set(prompt.id, waiting);
      const leave = onAbort(signal, () => this.#settle(prompt.id, undefined));
      this.#changed.fire(conversation);
      this.#notifyUnlessShown(waiting);
    });
  }

  /** Answers a waiting approval; false where it no longer waits. */
  answer(id: string, answer: ApprovalAnswer): boolean {
    return this.#settle(id, answer);
  }

  dispose(): void {
    for (const id of [...this.#waiting.keys()]) this.#settle(id, undefined);
    this.#following.dispose();
    this.#documents.dispose();
    this.#changed.dispose();
  }

  #settle(id: string, answer: ApprovalAnswer | undefined): boolean {
    const waiting = this.#waiting.get(id);
    if (!waiting) return false;
    this.#waiting.delete(id);
    waiting.settle(answer);
    this.#changed.fire(waiting.conversation);
    this.#closeDocument(id).catch((error: unknown) =>
      this.#log.error('The text of an approval stays open', error),
    );
    return true;
  }

  /** Notices that a panel in front makes needless go away; whoever leaves the panel is asked by a notice. */
  #followPanel(conversation: string): void {
    const waiting = [...this.#waiting.values()].filter((each) => each.conversation === conversation);
    if (!this.#inView.isVisible(conversation)) for (const each of waiting) this.#notifyUnlessShown(each);
    else if (waiting.some(({ isNotified, prompt }) => isNotified && fitsPanel(prompt)))
      hideToasts().catch((error: unknown) => this.#log.warn('A notice stays in front of its panel', error));
  }

  #notifyUnlessShown(waiting: Waiting): void {
    const { prompt, conversation, isNotified } = waiting;
    if (isNotified || (fitsPanel(prompt) && this.#inView.isVisible(conversation))) return;
    waiting.isNotified = true;
    this.#notify(prompt)
      .catch((error: unknown) => this.#log.error('An approval could not be shown', error))
      .finally(() => (waiting.isNotified = false));
  }

  async #notify(prompt: ApprovalPrompt): Promise<void> {
    const { id, request, number } = prompt;
    const many = this.#waiting.size > 1 ? `(${number}) ` : '';
    const message = words`${many}${distinctName(request.call.agent)} asks: ${request.title}`;
    const pressed = await showWarning(message, REVIEW, DENY);
    if (pressed === undefined) return;
    if (!this.#waiting.has(id)) await showInformation(words`This does not wait for an answer any more.`);
    else if (pressed === DENY) this.answer(id, { approved: false });
    else await this.#review(prompt, message);
  }

  /** Shows the full text, without which nothing can be approved. */
  async #review(prompt: ApprovalPrompt, message: PlainText): Promise<void> {
    const { id, request } = prompt;
    const detail = fullText(prompt);
    const isLong = detail.length > DIALOG_LIMIT || detail.split('\n').length > DIALOG_LINES;
    if (isLong) await showDocument(prompt);
    // What must be asked is asked every time, so there is nothing to remember.
    const answers =
      request.mustAsk === undefined ? ([APPROVE, REMEMBER, DENY] as const) : ([APPROVE, DENY] as const);
    const pressed = isLong
      ? await showWarning(words`${message} – all of it is in the editor.`, ...answers)
      : await askInDialog({ message, detail: wholeText(detail), buttons: answers, close: LATER });
    if (pressed === APPROVE) this.answer(id, { approved: true });
    if (pressed === REMEMBER) this.answer(id, { approved: true, remember: true });
    if (pressed === DENY) this.answer(id, { approved: false });
    if (pressed === LATER && this.#waiting.has(id)) await this.#notify(prompt);
  }

  async #closeDocument(id: string): Promise<void> {
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    const shown = tabs.filter(
      ({ input }) =>
        input instanceof vscode.TabInputText && input.uri.scheme === SCHEME && input.uri.query === id,
    );
    if (shown.length > 0) await vscode.window.tabGroups.close(shown, true);
  }
}

/** Whether a panel shows what it asks for; what is longer is read, and answered, by way of the notice. */
function fitsPanel({ request }: ApprovalPrompt): boolean {
  return request.subject.length <= MAX_SHOWN_SUBJECT;
}

/** The special reason for asking, if there is one, and everything that will be done. */
function fullText({ request: { mustAsk, subject } }: ApprovalPrompt): string {
  return mustAsk === undefined ? subject : `${visibleText(mustAsk)}\n\n${subject}`;
}

async function showDocument({ id, request }: ApprovalPrompt): Promise<void> {
  const path = `/${request.title.replaceAll('/', '∕')}`;
  const document = await vscode.workspace.openTextDocument(
    vscode.Uri.from({ scheme: SCHEME, path, query: id }),
  );
  await vscode.window.showTextDocument(document, { preview: false });
}
