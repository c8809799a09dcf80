import { t } from '../core/l10n.js';
import { editorSettings } from './settings.js';
import * as vscode from 'vscode';
import type { Disposable } from '../core/event.js';
import type { Log } from '../ports/log.js';
import type { Stores } from '../app/stores/stores.js';
import { commandName } from '../app/manifest.js';
import { findOldRecordings, type OldRecordingsParts } from './capture/oldRecordings.js';
import { showInformation } from './surfaces/notices.js';
import { words } from '../app/text/plainText.js';
import { retentionPlan } from '../app/stores/retention.js';
import { formatCount } from '../app/text/format.js';

/** Offers once per window, when its stores are first read, to delete what the retention settings say: conversations, recordings. */
export class RetentionOffer implements vscode.Disposable {
  readonly #following: Disposable;

  constructor(stores: Stores, recorded: OldRecordingsParts, log: Log) {
    this.#following = stores.onDidChange(() => {
      this.#following.dispose();
      void offer(stores, recorded).catch((error: unknown) =>
        log.error('Retention could not be looked at', error),
      );
    });
  }

  dispose(): void {
    this.#following.dispose();
  }
}

async function offer(stores: Stores, recorded: OldRecordingsParts): Promise<void> {
  if (!vscode.workspace.isTrusted) return;
  const doomed = await retentionPlan(stores, editorSettings);
  const recordings = await findOldRecordings(recorded);
  if (doomed.length + recordings.length === 0) return;
  const review = t`Review…`;
  const [count, noun] =
    doomed.length > 0 ? [doomed.length, 'conversation'] : [recordings.length, 'recording'];
  const verb = count === 1 ? 'is' : 'are';
  const offered = words`${formatCount(count, noun)} ${verb} older or larger than your retention settings allow. Nothing is deleted yet.`;
  if ((await showInformation(offered, review)) === review)
    await vscode.commands.executeCommand(commandName('applyRetention'));
}
