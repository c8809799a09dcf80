import * as vscode from 'vscode';
import type { Log } from '../ports/log.js';
import { inWords, solvedInWords, type StoreProblem } from '../store/write/storeProblem.js';
import { commandName } from './manifest.js';
import { showInformation, showWarning } from './notices.js';

/**
 * Tells a person about problems with the stores of this window, what to do, and when they are over. While records cannot
 * be written, a status bar item says so.
 */
export class StoreProblems implements vscode.Disposable {
  readonly #item = vscode.window.createStatusBarItem('agentLogbook.store', vscode.StatusBarAlignment.Left, 1);
  readonly #log: Log;
  /** Persistent problems by conversation. */
  readonly #lasting = new Map<string, StoreProblem>();

  constructor(log: Log) {
    this.#log = log;
    this.#item.name = 'Agent Logbook: Store';
    this.#item.text = '$(warning) Not saved';
    this.#item.backgroundColor = new vscode.ThemeColor('statusBarItem.warningBackground');
    this.#item.command = commandName('showLog');
  }

  tell(problem: StoreProblem): void {
    const { conversation = '', code, lasts } = problem;
    const words = inWords(problem);
    this.#log.error(words);
    // When a disk fails, all its conversations fail: one notice is enough.
    const isKnown = lasts && [...this.#lasting.values()].some((other) => other.code === code);
    if (lasts) this.#lasting.set(conversation, problem);
    if (code === 'EUNSAVED') this.#lasting.delete(conversation);
    this.#draw();
    if (!isKnown) void showWarning(words);
  }

  solved(problem: StoreProblem): void {
    this.#lasting.delete(problem.conversation ?? '');
    this.#draw();
    const words = solvedInWords(problem);
    this.#log.info(words);
    if (this.#lasting.size === 0) void showInformation(words);
  }

  dispose(): void {
    this.#item.dispose();
  }

  #draw(): void {
    const [problem] = this.#lasting.values();
    if (problem) {
      this.#item.tooltip = inWords(problem);
      this.#item.show();
    } else {
      this.#item.hide();
    }
  }
}
