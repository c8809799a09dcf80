import * as vscode from 'vscode';
import { t } from '../../../core/l10n.js';
import type { Disposable } from '../../../core/event.js';
import { commandName } from '../../../app/manifest.js';
import type { ApprovalService } from '../../../app/runs/approvalService.js';
import type { RunRegistry } from '../../../app/runs/runRegistry.js';
import { iconText, words, type IconText, type PlainText } from '../../../app/text/plainText.js';
import { statusItem, type StatusItem } from '../ui/statusItem.js';
import { formatCount } from '../../../app/text/format.js';
import type { ConnectorState } from '../../../core/ports/chatConnector.js';
import type { ConnectorPlatform } from '../../../app/connectors/connectorPlatform.js';

/** The status bar item with the number of runs, and whether one waits for an approval. Hidden while nothing runs. */
export class RunStatus implements vscode.Disposable {
  readonly #item = statusItem('agentLogbook.runs');
  readonly #following: Disposable;
  readonly #runs: RunRegistry;
  readonly #approvals: ApprovalService;

  constructor(runs: RunRegistry, approvals: ApprovalService) {
    this.#runs = runs;
    this.#approvals = approvals;
    this.#item.name = words`Agent Logbook: Runs`;
    this.#following = runs.onDidChangeState(() => this.#draw());
  }

  dispose(): void {
    this.#following.dispose();
    this.#item.dispose();
  }

  #draw(): void {
    const { running } = this.#runs;
    void vscode.commands.executeCommand('setContext', 'agentLogbook.running', running.length > 0);
    const [latest] = running.slice(-1);
    if (latest === undefined) {
      this.#item.hide();
      return;
    }
    const asking = running.find((conversation) => this.#approvals.pending(conversation).length > 0);
    const waiting = asking !== undefined;
    this.#item.text = waiting
      ? iconText(t`Approval needed`, 'question')
      : iconText(formatCount(running.length, 'run'), 'sync~spin');
    this.#item.tooltip = waiting
      ? words`An agent waits for your approval. Click to open the transcript and answer.`
      : words`Agents are running. Click to open the transcript.`;
    this.#item.backgroundColor = waiting
      ? new vscode.ThemeColor('statusBarItem.warningBackground')
      : undefined;
    const title = t`Open Transcript`;
    this.#item.command = {
      command: commandName('openTranscript'),
      title,
      arguments: [{ conversation: asking ?? latest }],
    };
    this.#item.show();
  }
}

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
