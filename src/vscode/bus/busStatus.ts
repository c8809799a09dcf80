import * as vscode from 'vscode';
import type { BusState } from '../../ports/messageBus.js';
import { commandName } from '../manifest.js';
import type { BusPlatform } from './busPlatform.js';

/** The status bar item with the state of one bus. Hidden while it is off. */
export class BusStatus implements vscode.Disposable {
  readonly #item: vscode.StatusBarItem;
  readonly #platform: BusPlatform;

  constructor(platform: BusPlatform) {
    this.#platform = platform;
    this.#item = vscode.window.createStatusBarItem(
      `agentLogbook.${platform.id}`,
      vscode.StatusBarAlignment.Left,
    );
    this.#item.name = `Agent Logbook: ${platform.name}`;
  }

  show(state: BusState): void {
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
  state: Exclude<BusState, { kind: 'off' }>,
): { text: string; tooltip: string } {
  switch (state.kind) {
    case 'connecting':
      return { text: `$(sync~spin) ${name}: connecting`, tooltip: `Agent Logbook connects to ${name}` };
    case 'on':
      return { text: `$(broadcast) ${name}`, tooltip: `Agents answer on ${name} as ${state.account}` };
    case 'waiting':
      return { text: `$(warning) ${name}: not connected`, tooltip: `${state.problem} It is tried again.` };
    case 'failed':
      return { text: `$(error) ${name}: stopped`, tooltip: `${state.problem} Click to start again.` };
  }
}
