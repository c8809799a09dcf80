import * as vscode from 'vscode';
import { t } from '../../core/l10n.js';
import type { Log } from '../../core/ports/log.js';
import { inWords, solvedInWords, type StoreProblem } from '../../store/write/storeProblem.js';
import { commandName } from '../../app/manifest.js';
import { showInformation, showWarning } from './ui/notices.js';
import { iconText, plain, words } from '../../app/text/plainText.js';
import { statusItem } from './ui/statusItem.js';
import type { Disposable } from '../../core/event.js';
import type { Stores } from '../../app/services/stores.js';
import { editorSettings } from './settings.js';

/** Looks once per window, when its stores are first read, whether the retention settings say that something is to go. */
export class RetentionOffer implements vscode.Disposable {
  readonly #following: Disposable;

  /** `offer` asks the person. */
  constructor(stores: Stores, offer: () => Promise<void>, log: Log) {
    this.#following = stores.onDidChange(() => {
      this.#following.dispose();
      if (!RETENTION.some((id) => editorSettings.get(id) > 0)) return;
      void offer().catch((error: unknown) => log.error('Retention could not be looked at', error));
    });
  }

  dispose(): void {
    this.#following.dispose();
  }
}

const RETENTION = ['retention.maxAgeDays', 'retention.maxMegabytes', 'capture.keepDays'] as const;

/**
 * Tells a person about problems with the stores of this window, what to do, and when they are over. While records cannot
 * be written, a status bar item says so.
 */
export class StoreProblems implements vscode.Disposable {
  readonly #item = statusItem('agentLogbook.store', 1);
  readonly #log: Log;
  /** Persistent problems by conversation, or by store where it cannot be read. */
  readonly #lasting = new Map<string, StoreProblem>();

  constructor(log: Log) {
    this.#log = log;
    this.#item.name = words`Agent Logbook: Store`;
    this.#item.backgroundColor = new vscode.ThemeColor('statusBarItem.warningBackground');
    this.#item.command = commandName('showLog');
  }

  show(problem: StoreProblem): void {
    const { code, lasts, unreadable } = problem;
    const problemWords = inWords(problem);
    this.#log.error(problemWords);
    // When a disk fails, all its conversations fail: one notice is enough.
    const isKnown =
      lasts &&
      [...this.#lasting.values()].some((other) => other.code === code && other.unreadable === unreadable);
    if (lasts) this.#lasting.set(keyOf(problem), problem);
    if (code === 'EUNSAVED') this.#lasting.delete(keyOf(problem));
    this.#draw();
    if (!isKnown) void showWarning(plain(problemWords));
  }

  solved(problem: StoreProblem): void {
    this.#lasting.delete(keyOf(problem));
    this.#draw();
    const solvedWords = solvedInWords(problem);
    this.#log.info(solvedWords);
    // When a disk works again, all its conversations are saved: one notice is enough.
    const isOver = ![...this.#lasting.values()].some((other) => isReading(other) === isReading(problem));
    if (isOver) void showInformation(plain(solvedWords));
  }

  dispose(): void {
    this.#item.dispose();
  }

  #draw(): void {
    const lasting = [...this.#lasting.values()];
    // What is not saved may be lost; what cannot be read is still there.
    const problem = lasting.find((each) => !isReading(each)) ?? lasting[0];
    if (problem) {
      this.#item.text = iconText(isReading(problem) ? t`Not readable` : t`Not saved`, 'warning');
      this.#item.tooltip = plain(inWords(problem));
      this.#item.show();
    } else {
      this.#item.hide();
    }
  }
}

function isReading({ unreadable }: StoreProblem): boolean {
  return unreadable !== undefined;
}

function keyOf({ unreadable, conversation = '' }: StoreProblem): string {
  return unreadable ?? conversation;
}
