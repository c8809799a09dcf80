import { BoundedMap, oldestBeyond } from '../../core/boundedMap.js';
import { Emitter, type Disposable, type Event } from '../../core/event.js';
import type { Log } from '../../core/ports/log.js';
import type { CatalogEntry, Transcript } from '../../core/ports/transcript.js';
import type { ConversationCost } from '../../search/reader/conversationCost.js';
import type { Outline } from '../../query/numbers/outline.js';
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

/** How many conversations are remembered. */
const MAX_REMEMBERED = 5_000;
/** How long news are collected before they are told, in milliseconds. */
const COLLECTED_MS = 200;

/** Reads what a conversation cost. */
export type ReadCost = (conversation: string) => Promise<ConversationCost>;

interface CachedCost {
  /** The state of the conversation that it is of. */
  readonly stamp: string;
  /** Undefined where it could not be read. */
  readonly cost: ConversationCost | undefined;
}

/**
 * What conversations cost, for lists of them: read in the background, one after the other, when somebody asks. Of one in
 * which an agent is at work it is told when the run has ended.
 */
export class ConversationCosts implements Disposable {
  readonly #read: ReadCost;
  readonly #log: Log;
  readonly #known = new BoundedMap<string, CachedCost>(MAX_REMEMBERED);
  readonly #waiting = new Map<string, string>();
  readonly #changed: Emitter<readonly string[]>;
  #news: string[] = [];
  #telling: NodeJS.Timeout | undefined;
  #isReading = false;
  /** How often prices have changed: what was known by others is read again. */
  #prices = 0;

  constructor(read: ReadCost, log: Log) {
    this.#read = read;
    this.#log = log;
    this.#changed = new Emitter((error) => log.error('A listener of costs failed', error));
  }

  /** Fires with the conversations whose cost has become known since. */
  get onDidChange(): Event<readonly string[]> {
    return this.#changed.event;
  }

  /** What is known of the cost of a conversation; what is not known yet is read, and `onDidChange` tells. */
  of(entry: CatalogEntry): ConversationCost | undefined {
    const { conversation, state } = entry;
    const known = this.#known.get(conversation);
    if (state === 'running' || state === 'waiting') return known?.cost;
    const stamp = `${entry.bytes} ${entry.endedAt} ${this.#prices}`;
    if (known?.stamp !== stamp) {
      this.#waiting.set(conversation, stamp);
      void this.#readAll();
    }
    return known?.cost;
  }

  /** Prices have changed: what is known is told anew, and read again for whoever still asks for it. */
  reprice(): void {
    this.#prices++;
    for (const conversation of this.#known.keys()) this.#tell(conversation);
  }

  dispose(): void {
    clearTimeout(this.#telling);
    this.#waiting.clear();
    this.#changed.dispose();
  }

  async #readAll(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    for (const [conversation, stamp] of this.#waiting) {
      const cost = await this.#costOf(conversation);
      if (this.#waiting.get(conversation) === stamp) this.#waiting.delete(conversation);
      const before = this.#known.get(conversation)?.cost?.short ?? '';
      this.#known.set(conversation, { stamp, cost });
      // Whoever draws a row anew takes it from under a click: only for what it shows.
      if (cost && cost.short !== before) this.#tell(conversation);
    }
    this.#isReading = false;
  }

  async #costOf(conversation: string): Promise<ConversationCost | undefined> {
    try {
      return await this.#read(conversation);
    } catch (error) {
      this.#log.debug(`What ${conversation} cost could not be read: ${String(error)}`);
      return undefined;
    }
  }

  #tell(conversation: string): void {
    this.#news.push(conversation);
    this.#telling ??= setTimeout(() => {
      this.#telling = undefined;
      const news = this.#news;
      this.#news = [];
      this.#changed.fire(news);
    }, COLLECTED_MS).unref();
  }
}
