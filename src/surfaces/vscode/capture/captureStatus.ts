import * as vscode from 'vscode';
import type { CaptureService } from '../../../app/services/captureService.js';
import { commandName } from '../../../app/manifest.js';
import type { Disposable } from '../../../core/event.js';
import { iconText, words } from '../../../app/text/plainText.js';
import { t } from '../../../core/l10n.js';
import { statusItem, type StatusItem } from '../ui/statusItem.js';
import { stateWords } from '../../../app/capture/stateWords.js';

/** The status bar item that says what is received and recorded; hidden while nothing is. */
export class CaptureStatus implements vscode.Disposable {
  readonly #item: StatusItem;
  readonly #listening: Disposable;

  constructor(capture: CaptureService) {
    this.#item = statusItem('agentLogbook.capture');
    this.#item.name = words`Agent Logbook: Recording`;
    this.#item.command = commandName('captureMenu');
    this.#listening = capture.onDidChange(() => this.#show(capture));
    this.#show(capture);
  }

  dispose(): void {
    this.#listening.dispose();
    this.#item.dispose();
  }

  #show(capture: CaptureService): void {
    const { receiving, recording } = capture;
    void vscode.commands.executeCommand('setContext', 'agentLogbook.receiving', receiving !== undefined);
    void vscode.commands.executeCommand('setContext', 'agentLogbook.recording', recording !== undefined);
    if (receiving === undefined && recording === undefined) {
      this.#item.hide();
      return;
    }
    this.#item.text =
      recording === undefined ? iconText(t`Receiving`, 'radio-tower') : iconText(t`Recording`, 'record');
    const problems = capture.problems.length === 0 ? '' : t` Something was refused or went wrong.`;
    this.#item.tooltip = words`${stateWords(capture)}.${problems} Click for what can be done.`;
    this.#item.show();
  }
}
