import * as vscode from 'vscode';
import type { Log } from '../ports/log.js';
import { inWords, solvedInWords, type StoreProblem } from '../store/storeProblem.js';
import { commandName } from './manifest.js';
import { showInformation, showWarning } from './notices.js';

/**
 * Tells a person what is wrong with the stores of this window, in words with what to do, and when it is over. While
 * records cannot be written, an item of the status bar says so.
 */
export class StoreProblems implements vscode.Disposable {
  readonly #item = vscode.window.createStatusBarItem('agentLogbook.store', vscode.StatusBarAlignment.Left, 1);
  readonly #log: Log;
  /** What lasts, by conversation. */
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
    // Several conversations fail together when their disk does: one notice is enough.
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
