import { basename } from 'node:path';
import { iconText, words } from '../../app/text/plainText.js';
import type { FileReport } from '../../capture/openedFile.js';
import type { Disposable } from '../../core/event.js';
import { statusItem } from '../surfaces/statusItem.js';

/** Says in the status bar how much of long files was read so far, of which the first rows are shown already. */
export class ReadSoFar implements Disposable {
  readonly #item = statusItem('agentLogbook.readSoFar', -1);
  /** What share of each file was read, from 0 to 1, by its path. */
  readonly #shares = new Map<string, number>();

  constructor() {
    this.#item.name = words`Transcripts being read`;
  }

  /** Takes what is known of a file now. */
  tell({ path, done, failure }: Pick<FileReport, 'path' | 'done' | 'failure'>): void {
    const isBeingRead = done < 1 && failure === undefined;
    if (!isBeingRead && !this.#shares.has(path)) return;
    if (isBeingRead) this.#shares.set(path, done);
    else this.#shares.delete(path);
    this.#show();
  }

  /** A file is shown no more. */
  forget(path: string): void {
    if (this.#shares.delete(path)) this.#show();
  }

  dispose(): void {
    this.#item.dispose();
  }

  #show(): void {
    const [first] = this.#shares;
    if (!first) {
      this.#item.hide();
      return;
    }
    const [path, share] = first;
    const percent = Math.floor(share * 100);
    this.#item.text = iconText(words`Read so far of ${basename(path)}: ${percent} %`, 'sync~spin');
    this.#item.show();
  }
}
