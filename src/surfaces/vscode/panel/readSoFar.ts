import { iconText, words } from '../../../app/text/plainText.js';
import type { Disposable } from '../../../core/event.js';
import { statusItem } from '../ui/statusItem.js';

/** How much of something was read. */
interface Read {
  /** What tells it from others, and what it is called. */
  readonly path: string;
  readonly name: string;
  /** From 0 to 1. */
  readonly done: number;
  /** Why no more of it is read; undefined where nothing is wrong. */
  readonly failure: string | undefined;
}

/** Says in the status bar how much of long files was read so far, of which the first rows are shown already. */
export class ReadSoFar implements Disposable {
  readonly #item: ReturnType<typeof statusItem>;
  /** What is being read, by its path. */
  readonly #reading = new Map<string, Read>();

  /** `id`: by which VS Code remembers whether a person has hidden it. */
  constructor(id = 'agentLogbook.readSoFar') {
    this.#item = statusItem(id, -1);
    this.#item.name = words`Transcripts being read`;
  }

  /** Takes what is known of a file now. */
  tell(read: Read): void {
    const { path, done, failure } = read;
    const isBeingRead = done < 1 && failure === undefined;
    if (!isBeingRead && !this.#reading.has(path)) return;
    if (isBeingRead) this.#reading.set(path, read);
    else this.#reading.delete(path);
    this.#show();
  }

  /** A file is shown no more. */
  forget(path: string): void {
    if (this.#reading.delete(path)) this.#show();
  }

  dispose(): void {
    this.#item.dispose();
  }

  #show(): void {
    const [first] = this.#reading.values();
    if (!first) {
      this.#item.hide();
      return;
    }
    const percent = Math.floor(first.done * 100);
    this.#item.text = iconText(words`Read so far of ${first.name}: ${percent} %`, 'sync~spin');
    this.#item.show();
  }
}
