import type * as vscode from 'vscode';
import type { Disposable } from '../../core/event.js';
import type { Log } from '../../core/ports/log.js';
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
