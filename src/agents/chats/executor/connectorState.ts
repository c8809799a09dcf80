import { evictOldest } from '../../../core/boundedMap.js';
import type { Log } from '../../../core/ports/log.js';
import { AtomicFile, readIfThere, setAside } from '../../../node/atomicFile.js';
import { isObject } from '../../../core/message.js';
import type { IncomingMessage } from '../../../core/ports/chatConnector.js';

/** More than a platform redelivers: Telegram repeats at most 100 updates, a resumed Discord session a few minutes. */
const MAX_HANDLED = 1_000;

/** The memory of a connector in one small file. Changes are visible at once, before they are on disk. */
export class ConnectorState {
  readonly data: ConnectorStateData;
  readonly #file: AtomicFile | undefined;

  private constructor(data: ConnectorStateData, path: string | undefined, log: Log) {
    this.data = data;
    const onProblem = (problem: string) => log.error(`What the bus remembers cannot be written: ${problem}`);
    this.#file = path === undefined ? undefined : new AtomicFile(path, onProblem);
  }

  /** Reads the file; starts empty where there is none. A file that cannot be read is renamed and kept. */
  static async open(path: string | undefined, log: Log): Promise<ConnectorState> {
    const text = path === undefined ? undefined : await readIfThere(path);
    if (path === undefined || text === undefined) return new ConnectorState(emptyMemory(), path, log);
    const data = decodeMemory(text);
    if (data) return new ConnectorState(data, path, log);
    const aside = await setAside(path);
    log.warn(`What the bus remembered could not be read and was kept aside as ${aside}.`);
    return new ConnectorState(emptyMemory(), path, log);
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
  change(edit: (data: ConnectorStateData) => void): Promise<void> {
    edit(this.data);
    evictOldest(this.data.handled, MAX_HANDLED);
    return this.#file?.save(() => encodeMemory(this.data)) ?? Promise.resolve();
  }
}

function emptyMemory(): ConnectorStateData {
  return { chats: new Map(), inbox: new Map(), outbox: new Map(), handled: new Set() };
}

/** Lists of entries rather than objects with keys, because the names of chats and ids are untrusted. */
interface MemoryFile {
  readonly version: 1;
  readonly chats: readonly (ChatState & { readonly chat: string })[];
  readonly inbox: readonly InboxEntry[];
  readonly outbox: readonly OutboxEntry[];
  readonly handled: readonly string[];
}

/** The text of a memory file. */
function encodeMemory(data: ConnectorStateData): string {
  const file: MemoryFile = {
    version: 1,
    chats: [...data.chats].map(([chat, memory]) => ({ chat, ...memory })),
    inbox: [...data.inbox.values()],
    outbox: [...data.outbox.values()],
    handled: [...data.handled],
  };
  return `${JSON.stringify(file)}\n`;
}

/** Parses the text of a memory file; undefined where it is not one. */
function decodeMemory(text: string): ConnectorStateData | undefined {
  const file = parse(text);
  if (!isObject(file) || file.version !== 1) return undefined;
  const { chats, inbox, outbox, handled } = file;
  if (!listOf(chats, isChat) || !listOf(inbox, isInboxEntry)) return undefined;
  if (!listOf(outbox, isOutboxEntry) || !listOf(handled, isString)) return undefined;
  return {
    chats: new Map(chats.map(({ chat, ...memory }) => [chat, memory])),
    inbox: new Map(inbox.map((entry) => [entry.message.id, entry])),
    outbox: new Map(outbox.map((entry) => [entry.key, entry])),
    handled: new Set(handled),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // The caller keeps the file aside and says so.
  }
}

const isString = (value: unknown): value is string => typeof value === 'string';
const isOptionalString = (value: unknown): value is string | undefined =>
  value === undefined || isString(value);

function listOf<T>(value: unknown, is: (item: unknown) => item is T): value is readonly T[] {
  return Array.isArray(value) && value.every(is);
}

function isChat(value: unknown): value is ChatState & { readonly chat: string } {
  return (
    isObject(value) &&
    isString(value.chat) &&
    isOptionalString(value.conversation) &&
    isOptionalString(value.agent) &&
    isOptionalString(value.answer) &&
    isOptionalString(value.lastId)
  );
}

function isInboxEntry(value: unknown): value is InboxEntry {
  return isObject(value) && isMessage(value.message) && Number.isSafeInteger(value.attempts);
}

function isMessage(value: unknown): value is IncomingMessage {
  if (!isObject(value) || !isObject(value.sender)) return false;
  const strings = [value.id, value.chat, value.text, value.sender.id, value.sender.name];
  return strings.every(isString) && isOptionalString(value.conversation) && Number.isSafeInteger(value.time);
}

function isOutboxEntry(value: unknown): value is OutboxEntry {
  return (
    isObject(value) &&
    [value.key, value.chat, value.text].every(isString) &&
    (value.state === 'waiting' || value.state === 'sending') &&
    Number.isSafeInteger(value.triedAt)
  );
}

/** What is remembered of a chat. */
export interface ChatState {
  readonly conversation?: string;
  /** The agent chosen for new conversations; absent: the default. */
  readonly agent?: string;
  /** The last answer, so that it can be repeated. */
  readonly answer?: string;
  /** The id of the last message that was accepted. */
  readonly lastId?: string;
}

/** A message that was accepted and is not answered yet. */
export interface InboxEntry {
  readonly message: IncomingMessage;
  /** How often answering it was started. */
  readonly attempts: number;
}

/** A text that is to be posted once. */
export interface OutboxEntry {
  readonly key: string;
  readonly chat: string;
  readonly text: string;
  /** `sending` while nobody can say whether it was posted. */
  readonly state: 'waiting' | 'sending';
  /** When posting was first attempted, in milliseconds since 1970; 0 before that. */
  readonly triedAt: number;
}

/** What a connector must remember from one start to the next. Maps are in the order of insertion. */
export interface ConnectorStateData {
  readonly chats: Map<string, ChatState>;
  readonly inbox: Map<string, InboxEntry>;
  readonly outbox: Map<string, OutboxEntry>;
  /** The ids of messages that are done with, newest last. */
  readonly handled: Set<string>;
}
