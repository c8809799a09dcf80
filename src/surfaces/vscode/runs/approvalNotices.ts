import { t } from '../../../core/l10n.js';
import * as vscode from 'vscode';
import { distinctName } from '../../../core/lookalikes.js';
import type { Disposable } from '../../../core/event.js';
import { visibleText } from '../../../core/visibleText.js';
import { MAX_SHOWN_SUBJECT, type ApprovalPrompt } from '../../../core/ports/approvals.js';
import type { Log } from '../../../core/ports/log.js';
import type { PanelsInView } from '../../../app/panel/panelsInView.js';
import { askInDialog, hideToasts, showInformation, showWarning } from '../ui/notices.js';
import type { ApprovalChange, ApprovalService } from '../../../app/runs/approvalService.js';
import { plain, wholeText, words, type PlainText } from '../../../app/text/plainText.js';

/** The longest text that a dialog shows in full, in UTF-16 code units; a longer one is shown in an editor first. */
const MAX_DIALOG = 1500;
const DIALOG_LINES = 25;

/** The scheme of the read-only documents in which long texts are shown. */
const SCHEME = 'agent-logbook-approval';

const review = () => t`Review…`;
const deny = () => t`Deny`;
const approve = () => t`Approve`;
const late = () => t`This does not wait for an answer any more.`;
const later = () => t`Later`;
const remember = () => t`Approve for This Session`;

/**
 * Asks the person by notices for the approvals that wait, and shows what is long in an editor. No notice covers the panel
 * that asks for the same.
 */
export class ApprovalNotices implements vscode.Disposable {
  readonly #approvals: ApprovalService;
  readonly #inView: PanelsInView;
  readonly #log: Log;
  readonly #following: readonly Disposable[];
  /** The ids of those that a notice asks for, which VS Code can only move out of sight. */
  readonly #notified = new Set<string>();

  constructor(approvals: ApprovalService, inView: PanelsInView, log: Log) {
    this.#approvals = approvals;
    this.#inView = inView;
    this.#log = log;
    this.#following = [
      approvals.onDidChange((change) => this.#follow(change)),
      inView.onDidChange((conversation) => this.#followPanel(conversation)),
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
        provideTextDocumentContent: ({ query }) => {
          const waiting = approvals.find(query);
          return waiting ? fullText(waiting.prompt) : late();
        },
      }),
    ];
  }

  dispose(): void {
    for (const following of this.#following) following.dispose();
  }

  #follow({ kind, conversation, prompt }: ApprovalChange): void {
    if (kind === 'asked') this.#notifyUnlessShown(conversation, prompt);
    else
      this.#closeDocument(prompt.id).catch((error: unknown) =>
        this.#log.error('The text of an approval stays open', error),
      );
  }

  /** Notices that a panel in front makes needless go away; whoever leaves the panel is asked by a notice. */
  #followPanel(conversation: string): void {
    const waiting = this.#approvals.pending(conversation);
    if (!this.#inView.isVisible(conversation)) {
      for (const prompt of waiting) this.#notifyUnlessShown(conversation, prompt);
    } else if (waiting.some((prompt) => this.#notified.has(prompt.id) && fitsPanel(prompt)))
      hideToasts().catch((error: unknown) => this.#log.warn('A notice stays in front of its panel', error));
  }

  #notifyUnlessShown(conversation: string, prompt: ApprovalPrompt): void {
    const { id } = prompt;
    if (this.#notified.has(id) || (fitsPanel(prompt) && this.#inView.isVisible(conversation))) return;
    this.#notified.add(id);
    this.#notify(prompt)
      .catch((error: unknown) => this.#log.error('An approval could not be shown', error))
      .finally(() => this.#notified.delete(id));
  }

  async #notify(prompt: ApprovalPrompt): Promise<void> {
    const { id, request, number } = prompt;
    const many = this.#approvals.size > 1 ? `(${number}) ` : '';
    const message = words`${many}${distinctName(request.call.agent)} asks: ${request.title}`;
    const isOfRun = request.isOfRun === true;
    const [yes, no] = isOfRun ? [t`Resume`, t`Stop`] : [review(), deny()];
    const pressed = await showWarning(message, yes, no);
    if (pressed === undefined) return;
    if (!this.#approvals.find(id)) await showInformation(plain(late()));
    else if (pressed === no || isOfRun) this.#approvals.answer(id, { approved: pressed === yes });
    else await this.#review(prompt, message);
  }

  /** Shows the full text, without which nothing can be approved. */
  async #review(prompt: ApprovalPrompt, message: PlainText): Promise<void> {
    const { id, request } = prompt;
    const detail = fullText(prompt);
    const isLong = detail.length > MAX_DIALOG || detail.split('\n').length > DIALOG_LINES;
    if (isLong) await showDocument(prompt);
    // What must be asked is asked every time, so there is nothing to remember.
    const answers =
      request.askReason === undefined
        ? ([approve(), remember(), deny()] as const)
        : ([approve(), deny()] as const);
    const pressed = isLong
      ? await showWarning(words`${message} – all of it is in the editor.`, ...answers)
      : await askInDialog({ message, detail: wholeText(detail), buttons: answers, close: later() });
    if (pressed === approve()) this.#approvals.answer(id, { approved: true });
    if (pressed === remember()) this.#approvals.answer(id, { approved: true, remember: true });
    if (pressed === deny()) this.#approvals.answer(id, { approved: false });
    if (pressed === later() && this.#approvals.find(id)) await this.#notify(prompt);
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
function fullText({ request: { askReason, subject } }: ApprovalPrompt): string {
  return askReason === undefined ? subject : `${visibleText(askReason)}\n\n${subject}`;
}

async function showDocument({ id, request }: ApprovalPrompt): Promise<void> {
  const path = `/${request.title.replaceAll('/', '∕')}`;
  const document = await vscode.workspace.openTextDocument(
    vscode.Uri.from({ scheme: SCHEME, path, query: id }),
  );
  await vscode.window.showTextDocument(document, { preview: false });
}
