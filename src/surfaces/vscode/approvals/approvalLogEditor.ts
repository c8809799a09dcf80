import { type ExtensionContext, ViewColumn, window, type WebviewPanel } from 'vscode';
import { features } from '../../../app/features/features.js';
import type { Stores } from '../../../app/services/stores.js';
import { approvalLogEditorType } from '../../../app/manifest.js';
import { t } from '../../../core/l10n.js';
import { messageOf } from '../../../core/text.js';
import type {
  ChosenApprovalLog,
  ApprovalLogSession,
} from '../../../page/panel/approvalLog/approvalLogSession.js';
import { WebviewContent } from '../../../page/panel/webviewContent.js';
import type { Log } from '../../../core/ports/log.js';
import type { TranscriptPanels } from '../panel/transcriptPanels.js';
import { exportApprovalLogs } from '../reading/exportApprovalLogs.js';
import { showPage } from '../ui/showPage.js';

/** What the page of all decisions needs of the rest of the extension. */
export interface ApprovalLogEditorOptions {
  readonly context: Pick<ExtensionContext, 'extensionUri'>;
  readonly stores: Stores;
  readonly panels: Pick<TranscriptPanels, 'open'>;
  readonly log: Log;
}

/** The decisions of all transcripts in an editor: there is one, which comes to the front where it is open. */
export class ApprovalLogEditor {
  readonly #options: ApprovalLogEditorOptions;
  #panel: WebviewPanel | undefined;

  constructor(options: ApprovalLogEditorOptions) {
    this.#options = options;
  }

  /** Shows it; rejects where it cannot be loaded. */
  show(): void {
    if (this.#panel) {
      this.#panel.reveal();
      return;
    }
    const options = { retainContextWhenHidden: true };
    this.#fill(window.createWebviewPanel(approvalLogEditorType, t`Approvals`, ViewColumn.Active, options));
  }

  /** Fills an editor that was open when the window was closed; of two there stays the first. */
  restore(panel: WebviewPanel): void {
    if (this.#panel) panel.dispose();
    else this.#fill(panel);
  }

  #fill(panel: WebviewPanel): void {
    const { context, log } = this.#options;
    this.#panel = panel;
    const session = this.#load(panel);
    const withSession = async (work: (session: ApprovalLogSession) => void): Promise<void> => {
      try {
        work(await session);
      } catch (error) {
        log.error('The approvals cannot be shown.', error);
        if (this.#panel === panel)
          WebviewContent.of(panel.webview).notice(t`The approvals cannot be shown`, messageOf(error));
      }
    };
    panel.webview.onDidReceiveMessage((message: unknown) => {
      void withSession((loaded) => void loaded.receive(message));
    });
    panel.onDidDispose(() => {
      this.#panel = undefined;
      void withSession((loaded) => loaded.dispose());
    });
    showPage(panel.webview, context.extensionUri, 'ledger', t`Approvals`);
  }

  async #load({ webview }: WebviewPanel): Promise<ApprovalLogSession> {
    const { stores, panels, log } = this.#options;
    const [{ ApprovalLogSession, storedApprovalLogs }, engine] = await Promise.all([
      features.approvals(),
      stores.search(),
    ]);
    const conversations = () => stores.conversations();
    return new ApprovalLogSession({
      read: (signal) => storedApprovalLogs({ engine, conversations, log }, signal),
      open: ({ conversation }, position) => panels.open(conversation, { position }),
      exportAs: async (format, chosen) => {
        await exportApprovalLogs(await conversationsOf(stores, chosen), format, {}, positionsOf(chosen));
      },
      log,
      post: (message) => webview.postMessage(message),
    });
  }
}

async function conversationsOf(stores: Stores, chosen: readonly ChosenApprovalLog[]) {
  const keys = new Set(chosen.map(({ place: { root, conversation } }) => `${root}\0${conversation}`));
  const all = await stores.conversations();
  return all.filter(({ root, entry }) => keys.has(`${root}\0${entry.conversation}`));
}

function positionsOf(
  chosen: readonly ChosenApprovalLog[],
): (root: string, conversation: string) => ReadonlySet<number> {
  const positions = new Map(
    chosen.map(({ place: { root, conversation }, positions: of }) => [`${root}\0${conversation}`, of]),
  );
  return (root, conversation) => positions.get(`${root}\0${conversation}`) ?? new Set();
}
