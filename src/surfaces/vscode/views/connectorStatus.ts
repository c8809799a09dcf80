import { t } from '../../../core/l10n.js';
import * as vscode from 'vscode';
import type { ConnectorState } from '../../../core/ports/chatConnector.js';
import { commandName } from '../../../app/manifest.js';
import { iconText, words, type IconText, type PlainText } from '../../../app/text/plainText.js';
import { statusItem, type StatusItem } from '../ui/statusItem.js';
import type { ConnectorPlatform } from '../../../app/connectors/connectorPlatform.js';

/** The status bar item with the state of one connector. Hidden while it is off. */
export class ConnectorStatus implements vscode.Disposable {
  readonly #item: StatusItem;
  readonly #platform: ConnectorPlatform;

  constructor(platform: ConnectorPlatform) {
    this.#platform = platform;
    this.#item = statusItem(`agentLogbook.${platform.id}`);
    this.#item.name = words`Agent Logbook: ${platform.name}`;
  }

  show(state: ConnectorState): void {
    const { id } = this.#platform;
    void vscode.commands.executeCommand('setContext', `agentLogbook.${id}On`, state.kind !== 'off');
    if (state.kind === 'off') {
      this.#item.hide();
      return;
    }
    const { name, startCommand } = this.#platform;
    const { text, tooltip } = wordsFor(name, state);
    this.#item.text = text;
    this.#item.tooltip = tooltip;
    this.#item.backgroundColor =
      'problem' in state ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
    this.#item.command = commandName(state.kind === 'failed' ? startCommand : 'showLog');
    this.#item.show();
  }

  dispose(): void {
    this.#item.dispose();
  }
}

function wordsFor(
  name: string,
  state: Exclude<ConnectorState, { kind: 'off' }>,
): { text: IconText; tooltip: PlainText } {
  switch (state.kind) {
    case 'connecting':
      return {
        text: iconText(`${name}: connecting`, 'sync~spin'),
        tooltip: words`Agent Logbook connects to ${name}`,
      };
    case 'on':
      return {
        text: iconText(name, 'broadcast'),
        tooltip: words`Agents answer on ${name} as ${state.account}`,
      };
    case 'waiting':
      return {
        text: iconText(t`${name}: not connected`, 'warning'),
        tooltip: words`${state.problem} It is tried again.`,
      };
    case 'failed':
      return {
        text: iconText(`${name}: stopped`, 'error'),
        tooltip: words`${state.problem} Click to start again.`,
      };
  }
}
