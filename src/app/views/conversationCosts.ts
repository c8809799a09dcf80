import { BoundedMap } from '../../core/boundedMap.js';
import { Emitter, type Disposable, type Event } from '../../core/event.js';
import type { Log } from '../../core/ports/log.js';
import type { CatalogEntry } from '../../core/ports/transcript.js';
import type { ConversationCost } from '../../search/reader/conversationCost.js';

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
