import { isObject } from '../../../core/message.js';
import type { IncomingMessage } from '../../../core/ports/chatConnector.js';

/** The types of messages that people write: default and reply. All others are notices of Discord. */
const WRITTEN = new Set<unknown>([0, 19]);

/** The name, across all connectors, of a channel, thread or direct chat, like `discord:1100000000000000000`. */
function nameOfChannel(id: string): string {
  return `discord:${id}`;
}

/** The channel id in such a name; undefined for the name of another connector. */
export function channelOfName(name: string): string | undefined {
  return /^discord:(\d{1,20})$/.exec(name)?.[1];
}

/** The snowflake in a message id like `discord:<channel>/<message>`; undefined for the id of another connector. */
export function snowflakeOf(id: string): string | undefined {
  return /^discord:\d{1,20}\/(\d{1,20})$/.exec(id)?.[1];
}

/**
 * Converts a Discord message that a person addressed to the bot; undefined for any other: from bots, webhooks or Discord
 * itself, and outside of direct chats for messages that neither mention the bot nor reply to it.
 */
export function incomingFrom(message: unknown, me: string, isDirect: boolean): IncomingMessage | undefined {
  if (!isObject(message) || !isObject(message.author)) return undefined;
  const { id, channel_id, author, content, timestamp } = message;
  if (!isSnowflake(id) || !isSnowflake(channel_id) || !isSnowflake(author.id)) return undefined;
  if (author.bot === true || message.webhook_id !== undefined || !WRITTEN.has(message.type)) return undefined;
  if (!isDirect && !mentions(message.mentions, me)) return undefined;
  const said = typeof content === 'string' ? content : '';
  const time = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN;
  return {
    id: `${nameOfChannel(channel_id)}/${id}`,
    chat: nameOfChannel(channel_id),
    sender: { id: `discord:${author.id}`, name: nameOf(author) },
    text: said.replace(new RegExp(`^\\s*<@!?${me}>\\s*`), '').trim(),
    time: Number.isNaN(time) ? timeOfSnowflake(id) : time,
  };
}

/** The epoch of snowflakes: https://discord.com/developers/docs/reference#snowflakes */
const EPOCH = 1_420_070_400_000;

/** The smallest id that a message of a time can have; the time is in milliseconds since 1970. */
export function snowflakeAt(time: number): string {
  return String(BigInt(Math.max(time - EPOCH, 0)) << 22n);
}

function timeOfSnowflake(id: string): number {
  return Number(BigInt(id) >> 22n) + EPOCH;
}

/** Compares snowflakes by age, oldest first. */
export function compareSnowflakes(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : Number(a > b));
}

function isSnowflake(value: unknown): value is string {
  return typeof value === 'string' && /^\d{1,20}$/.test(value);
}

function mentions(list: unknown, me: string): boolean {
  return Array.isArray(list) && list.some((user) => isObject(user) && user.id === me);
}

function nameOf({ global_name, username }: Readonly<Record<string, unknown>>): string {
  if (typeof global_name === 'string') return global_name;
  return typeof username === 'string' ? username : 'somebody';
}
