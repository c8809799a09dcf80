import { window, type Disposable } from 'vscode';
import { approvalLogEditorType } from '../../../app/manifest.js';
import type { ApprovalLogEditor } from './approvalLogEditor.js';

/** Where the decisions of all transcripts are shown: an editor, which is loaded when it is first opened or comes again. */
export class ApprovalLogRegistration implements Disposable {
  readonly #editor: () => Promise<ApprovalLogEditor>;
  readonly #registration: Disposable;

  constructor(load: () => Promise<ApprovalLogEditor>) {
    let loading: Promise<ApprovalLogEditor> | undefined;
    this.#editor = () => (loading ??= load());
    this.#registration = window.registerWebviewPanelSerializer(approvalLogEditorType, {
      deserializeWebviewPanel: async (panel) => (await this.#editor()).restore(panel),
    });
  }

  /** Shows it; rejects where it cannot be loaded. */
  async show(): Promise<void> {
    (await this.#editor()).show();
  }

  dispose(): void {
    this.#registration.dispose();
  }
}
