import { join } from 'node:path';
import type { ReplacedFile } from '../../bus/executor/replacedFile.js';
import { Emitter } from '../../core/event.js';
import { isObject } from '../../core/message.js';
import { messageOf } from '../../core/text.js';
import type { Drafts, ReturnedText } from '../../panel/ports.js';
import type { Log } from '../../ports/log.js';

/** What somebody typed in a conversation and no agent was told yet. */
interface Unsaid {
  /** What stands in the box. */
  readonly draft: string;
  /** What was sent and waits for its turn, in order. */
  readonly waiting: readonly string[];
}

const NOTHING: Unsaid = { draft: '', waiting: [] };

/**
 * Keeps what was typed into the chat boxes, one file a conversation, until it is said. What waited in a window that is
 * gone stands in the box again: the run that it waited for was cut off, so whether it is still to be said is for the
 * person to decide. Windows without a folder share one storage: what waits in one may stand in the box of another too,
 * for whether a window is still there cannot be told in time, and a text that is there twice is not lost.
 */
export class UnsaidTexts implements Drafts {
  readonly #folder: string;
  readonly #log: Log;
  readonly #returned: Emitter<ReturnedText>;
  readonly #known = new Map<string, Promise<KeptTexts>>();

  /** `storage` is a folder of the extension's own. */
  constructor(storage: string, log: Log) {
    this.#folder = join(storage, 'unsaid');
    this.#log = log;
    this.#returned = new Emitter((error) => log.error('A panel could not take a text back', error));
  }

  get onDidReturn() {
    return this.#returned.event;
  }

  async draftOf(conversation: string): Promise<string> {
    return (await this.#of(conversation)).unsaid.draft;
  }

  async keep(conversation: string, draft: string): Promise<void> {
    const kept = await this.#of(conversation);
    if (draft !== kept.unsaid.draft) await kept.save({ ...kept.unsaid, draft });
  }

  /** Resolves when the file names the texts that wait now, or could not be written, which is logged. */
  async keepWaiting(conversation: string, waiting: readonly string[]): Promise<void> {
    const kept = await this.#of(conversation);
    await kept.save({ ...kept.unsaid, waiting });
  }

  /** Puts a text that could not be said below what stands in the box. */
  async putBack(conversation: string, text: string): Promise<void> {
    const kept = await this.#of(conversation);
    const saved = kept.save({ ...kept.unsaid, draft: joined([kept.unsaid.draft, text]) });
    this.#returned.fire({ conversation, text });
    await saved;
  }

  /** Resolves when whatever was kept until now is on the disk, or could not be written; never rejects. */
  async close(): Promise<void> {
    await Promise.all([...this.#known.values()].map(async (kept) => (await kept).saved));
  }

  dispose(): void {
    this.#returned.dispose();
  }

  #of(conversation: string): Promise<KeptTexts> {
    const known = this.#known.get(conversation) ?? this.#open(conversation);
    this.#known.set(conversation, known);
    return known;
  }

  /** The files are loaded with the first text: an extension that is only activated needs none of this. */
  async #open(conversation: string): Promise<KeptTexts> {
    const { ReplacedFile } = await import('../../bus/executor/replacedFile.js');
    const path = join(this.#folder, `${conversation}.json`);
    const file = new ReplacedFile(path, (problem) =>
      this.#log.error(`What was typed and not said cannot be kept: ${problem}`),
    );
    const left = await this.#leftAt(path);
    const kept = new KeptTexts(file, left);
    if (left.waiting.length > 0) {
      // What was just sent stands in the box's file until it is taken.
      const typed = left.draft === left.waiting.at(-1) ? '' : left.draft;
      await kept.save({ draft: joined([...left.waiting, typed]), waiting: [] });
    }
    return kept;
  }

  async #leftAt(path: string): Promise<Unsaid> {
    try {
      const { readIfThere } = await import('../../bus/executor/memoryFile.js');
      return decode(await readIfThere(path));
    } catch (error) {
      this.#log.warn(`What was typed and not said cannot be read: ${messageOf(error)}`);
      return NOTHING;
    }
  }
}

/** The unsaid texts of one conversation: in memory what they are, in the file the same soon after. */
class KeptTexts {
  readonly #file: ReplacedFile;
  unsaid: Unsaid;
  /** Resolves when the file says what was saved last. */
  saved: Promise<void> = Promise.resolve();

  constructor(file: ReplacedFile, unsaid: Unsaid) {
    this.#file = file;
    this.unsaid = unsaid;
  }

  save(unsaid: Unsaid): Promise<void> {
    this.unsaid = unsaid;
    const isEmpty = () => this.unsaid.draft === '' && this.unsaid.waiting.length === 0;
    this.saved = this.#file.save(() => (isEmpty() ? undefined : `${JSON.stringify(this.unsaid)}\n`));
    return this.saved;
  }
}

function joined(texts: readonly string[]): string {
  return texts.filter((text) => text.trim() !== '').join('\n\n');
}

function decode(text: string | undefined): Unsaid {
  const value: unknown = JSON.parse(text ?? '{}');
  if (!isObject(value)) return NOTHING;
  const { draft, waiting } = value;
  return {
    draft: typeof draft === 'string' ? draft : '',
    waiting: Array.isArray(waiting) ? waiting.filter((each) => typeof each === 'string') : [],
  };
}
