import type { Outline } from '../../query/numbers/outline.js';
import { oldestBeyond } from '../../core/boundedMap.js';
import type { Transcript } from '../../core/ports/transcript.js';
import type { Stores } from '../services/stores.js';
import { features } from '../features/features.js';

/** How many records are read at once. */
const PAGE = 500;

/** How many conversations are kept open for the tree; the least recently used is closed first. */
const MAX_OPEN = 8;

interface OpenOutline {
  readonly transcript: Transcript;
  readonly outline: Outline;
}

/** The outlines of the conversations that are expanded in the tree; each grows with its transcript. */
export class Outlines {
  readonly #stores: Stores;
  readonly #open = new Map<string, Promise<OpenOutline>>();
  #queue: Promise<unknown> = Promise.resolve();

  constructor(stores: Stores) {
    this.#stores = stores;
  }

  /** The outline of a conversation, as far as it is recorded now. */
  async read(conversation: string): Promise<Outline> {
    const step = this.#queue.then(() => this.#read(conversation));
    this.#queue = step.catch(() => undefined); // The caller gets the failure; the next one starts over.
    return step;
  }

  /** Closes a conversation, for example because it is deleted. */
  async forget(conversation: string): Promise<void> {
    const opened = this.#open.get(conversation);
    this.#open.delete(conversation);
    await (await opened)?.transcript.close();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((conversation) => this.forget(conversation)));
  }

  async #read(conversation: string): Promise<Outline> {
    const opening = this.#open.get(conversation) ?? this.#openNow(conversation);
    this.#open.delete(conversation);
    this.#open.set(conversation, opening);
    opening.catch(() => this.#open.delete(conversation));
    const { transcript, outline } = await opening;
    while (outline.length < transcript.length) {
      const page = await transcript.read(outline.length, outline.length + PAGE);
      if (page.length === 0) break;
      page.forEach((record) => outline.add(record));
    }
    for (const oldest of oldestBeyond(this.#open, MAX_OPEN)) await this.forget(oldest);
    return outline;
  }

  async #openNow(conversation: string): Promise<OpenOutline> {
    const { store } = await this.#stores.find(conversation);
    const [{ Outline }, { plainWords }] = await Promise.all([features.transcripts(), features.markdown()]);
    return { transcript: await store.openTranscript(conversation), outline: new Outline(plainWords) };
  }
}
