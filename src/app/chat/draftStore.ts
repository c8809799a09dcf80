import { join } from 'node:path';
import type { AtomicFile } from '../../node/atomicFile.js';
import { Emitter } from '../../core/event.js';
import { isObject } from '../../core/message.js';
import { messageOf } from '../../core/text.js';
import type { Drafts, ReturnedText } from '../../page/panel/ports.js';
import type { Log } from '../../core/ports/log.js';
import { features } from '../features/features.js';

/** What a person typed in a conversation and no agent has received yet. */
interface UnsentTexts {
  /** The text in the chat box. */
  readonly draft: string;
  /** The messages that were sent and are queued, in order. */
  readonly waiting: readonly string[];
}

const NOTHING: UnsentTexts = { draft: '', waiting: [] };

/**
 * Saves what is typed into the chat boxes, one file per conversation, until an agent receives it. Messages queued in a
 * window that has closed are put back into the box: the run that they waited for was cut off, so the person decides
 * whether to send them. Windows without a folder share one storage: a message queued in one may also appear in the box of
 * another, because it cannot be known in time whether a window still exists, and a duplicate text is better than a lost
 * one.
 */
export class DraftStore implements Drafts {
  readonly #folder: string;
  readonly #log: Log;
  readonly #returned: Emitter<ReturnedText>;
  readonly #known = new Map<string, Promise<ConversationDrafts>>();

  /** `storage` is the path of a folder that belongs to the extension. */
  constructor(storage: string, log: Log) {
    this.#folder = join(storage, 'unsaid');
    this.#log = log;
    this.#returned = new Emitter((error) => log.error('A panel could not take a text back', error));
  }

  get onDidReturn() {
    return this.#returned.event;
  }

  async draftOf(conversation: string): Promise<string> {
    return (await this.#of(conversation)).unsent.draft;
  }

  async keep(conversation: string, draft: string): Promise<void> {
    const kept = await this.#of(conversation);
    if (draft !== kept.unsent.draft) await kept.save({ ...kept.unsent, draft });
  }

  /** Saves the queued texts; resolves when the file is written, or could not be, which is logged. */
  async keepWaiting(conversation: string, waiting: readonly string[]): Promise<void> {
    const kept = await this.#of(conversation);
    await kept.save({ ...kept.unsent, waiting });
  }

  /** Appends a text that could not be sent, and why where that was no person's wish, to what is in the box. */
  async putBack(conversation: string, text: string, problem?: string): Promise<void> {
    const kept = await this.#of(conversation);
    const saved = kept.save({ ...kept.unsent, draft: joined([kept.unsent.draft, text]) });
    this.#returned.fire({ conversation, text, ...(problem !== undefined && { problem }) });
    await saved;
  }

  /** Resolves when everything saved so far is on disk, or could not be written; never rejects. */
  async close(): Promise<void> {
    await Promise.all([...this.#known.values()].map(async (kept) => (await kept).saved));
  }

  dispose(): void {
    this.#returned.dispose();
  }

  #of(conversation: string): Promise<ConversationDrafts> {
    const known = this.#known.get(conversation) ?? this.#open(conversation);
    this.#known.set(conversation, known);
    return known;
  }

  /** The code for files is loaded with the first text, because activation alone does not need it. */
  async #open(conversation: string): Promise<ConversationDrafts> {
    const { AtomicFile } = await features.transcripts();
    const path = join(this.#folder, `${conversation}.json`);
    const file = new AtomicFile(path, (problem) =>
      this.#log.error(`What was typed and not said cannot be kept: ${problem}`),
    );
    const left = await this.#leftAt(path);
    const kept = new ConversationDrafts(file, left);
    if (left.waiting.length > 0) {
      // A text that was just sent is still in the box's file until it is queued.
      const typed = left.draft === left.waiting.at(-1) ? '' : left.draft;
      await kept.save({ draft: joined([...left.waiting, typed]), waiting: [] });
    }
    return kept;
  }

  async #leftAt(path: string): Promise<UnsentTexts> {
    try {
      const { readIfThere } = await features.transcripts();
      return decode(await readIfThere(path));
    } catch (error) {
      this.#log.warn(`What was typed and not said cannot be read: ${messageOf(error)}`);
      return NOTHING;
    }
  }
}

/** The unsent texts of one conversation, in memory and, soon after, in the file. */
class ConversationDrafts {
  readonly #file: AtomicFile;
  unsent: UnsentTexts;
  /** Resolves when the file contains the latest state. */
  saved: Promise<void> = Promise.resolve();

  constructor(file: AtomicFile, unsent: UnsentTexts) {
    this.#file = file;
    this.unsent = unsent;
  }

  save(unsent: UnsentTexts): Promise<void> {
    this.unsent = unsent;
    const isEmpty = () => this.unsent.draft === '' && this.unsent.waiting.length === 0;
    this.saved = this.#file.save(() => (isEmpty() ? undefined : `${JSON.stringify(this.unsent)}\n`));
    return this.saved;
  }
}

function joined(texts: readonly string[]): string {
  return texts.filter((text) => text.trim() !== '').join('\n\n');
}

function decode(text: string | undefined): UnsentTexts {
  const value: unknown = JSON.parse(text ?? '{}');
  if (!isObject(value)) return NOTHING;
  const { draft, waiting } = value;
  return {
    draft: typeof draft === 'string' ? draft : '',
    waiting: Array.isArray(waiting) ? waiting.filter((each) => typeof each === 'string') : [],
  };
}
