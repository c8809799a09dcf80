import { isObject } from '../../core/message.js';
import type { IncomingMessage } from '../../ports/messageBus.js';
import type { ChatMemory, InboxEntry, MemoryData, OutboxEntry } from './memoryData.js';

/** Lists of entries rather than objects with keys, because the names of chats and ids are untrusted. */
interface MemoryFile {
  readonly version: 1;
  readonly chats: readonly (ChatMemory & { readonly chat: string })[];
  readonly inbox: readonly InboxEntry[];
  readonly outbox: readonly OutboxEntry[];
  readonly handled: readonly string[];
}

/** The text of a memory file. */
export function encodeMemory(data: MemoryData): string {
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
export function decodeMemory(text: string): MemoryData | undefined {
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

function isChat(value: unknown): value is ChatMemory & { readonly chat: string } {
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
