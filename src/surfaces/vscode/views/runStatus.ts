import { t } from '../../../core/l10n.js';
import * as vscode from 'vscode';
import type { Disposable } from '../../../core/event.js';
import { commandName } from '../../../app/manifest.js';
import type { ApprovalService } from '../../../app/runs/approvalService.js';
import type { RunRegistry } from '../../../app/runs/runRegistry.js';
import { iconText, words } from '../../../app/text/plainText.js';
import { statusItem } from '../ui/statusItem.js';
import { formatCount } from '../../../app/text/format.js';

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
