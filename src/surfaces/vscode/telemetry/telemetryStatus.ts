import * as vscode from 'vscode';
import { commandName } from '../../../app/manifest.js';
import type { PendingSpans } from '../../../app/telemetry/openTelemetry.js';
import { iconText, words } from '../../../app/text/plainText.js';
import { formatCount } from '../../../app/text/format.js';
import { t } from '../../../core/l10n.js';
import { statusItem, type StatusItem } from '../ui/statusItem.js';

/** The status bar item that says how much waits for the collector, and why; hidden while it waits for nothing but the network. */
export class TelemetryStatus implements vscode.Disposable {
  readonly #item: StatusItem;

  constructor() {
    this.#item = statusItem('agentLogbook.telemetry');
    this.#item.name = words`Agent Logbook: OpenTelemetry`;
    this.#item.command = commandName('sendWaitingSpans');
  }

  /** Shows what waits now. */
  show({ spans, words: why }: PendingSpans): void {
    void vscode.commands.executeCommand('setContext', 'agentLogbook.spansWait', spans > 0);
    if (why === undefined) {
      this.#item.hide();
      return;
    }
    this.#item.text = iconText(
      spans === 0 ? t`Not sent` : t`${formatCount(spans, 'span')} wait`,
      'cloud-upload',
    );
    this.#item.tooltip = words`${why} Click to send them now.`;
    this.#item.show();
  }

  dispose(): void {
    this.#item.dispose();
  }
}
