import type { MemoryData } from './memoryData.js';
import { evictOldest } from '../../core/boundedMap.js';
import type { Log } from '../../ports/log.js';
import { AtomicFile, readIfThere, setAside } from '../../node/atomicFile.js';
import { decodeMemory, encodeMemory } from './memoryFormat.js';

/** More than a platform redelivers: Telegram repeats at most 100 updates, a resumed Discord session a few minutes. */
const MAX_HANDLED = 1_000;

/** The memory of a bus in one small file. Changes are visible at once, before they are on disk. */
export class BusState {
  readonly data: MemoryData;
  readonly #file: AtomicFile | undefined;

  private constructor(data: MemoryData, path: string | undefined, log: Log) {
    this.data = data;
    const onProblem = (problem: string) => log.error(`What the bus remembers cannot be written: ${problem}`);
    this.#file = path === undefined ? undefined : new AtomicFile(path, onProblem);
  }

  /** Reads the file; starts empty where there is none. A file that cannot be read is renamed and kept. */
  static async open(path: string | undefined, log: Log): Promise<BusState> {
    const text = path === undefined ? undefined : await readIfThere(path);
    if (path === undefined || text === undefined) return new BusState(emptyMemory(), path, log);
    const data = decodeMemory(text);
    if (data) return new BusState(data, path, log);
    const aside = await setAside(path);
    log.warn(`What the bus remembered could not be read and was kept aside as ${aside}.`);
    return new BusState(emptyMemory(), path, log);
  }

  /** The id of the last accepted message, by chat. */
  get lastIds(): ReadonlyMap<string, string> {
    const ids = [...this.data.chats].map(([chat, { lastId }]) => [chat, lastId] as const);
    return new Map(ids.filter((entry): entry is readonly [string, string] => entry[1] !== undefined));
  }

  /** Whether a message was accepted before. */
  knows(id: string): boolean {
    return this.data.handled.has(id) || this.data.inbox.has(id);
  }

  /** Changes the memory; resolves when it is on disk, or could not be written, which is logged. */
  change(edit: (data: MemoryData) => void): Promise<void> {
    edit(this.data);
    evictOldest(this.data.handled, MAX_HANDLED);
    return this.#file?.save(() => encodeMemory(this.data)) ?? Promise.resolve();
  }
}

function emptyMemory(): MemoryData {
  return { chats: new Map(), inbox: new Map(), outbox: new Map(), handled: new Set() };
}
