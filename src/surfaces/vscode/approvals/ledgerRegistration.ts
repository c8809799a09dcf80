import { window, type Disposable } from 'vscode';
import { ledgerEditorType } from '../../../app/manifest.js';
import type { LedgerEditor } from './ledgerEditor.js';

/** Where the decisions of all transcripts are shown: an editor, which is loaded when it is first opened or comes again. */
export class LedgerRegistration implements Disposable {
  readonly #editor: () => Promise<LedgerEditor>;
  readonly #registration: Disposable;

  constructor(load: () => Promise<LedgerEditor>) {
    let loading: Promise<LedgerEditor> | undefined;
    this.#editor = () => (loading ??= load());
    this.#registration = window.registerWebviewPanelSerializer(ledgerEditorType, {
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
