import type { REST } from '@discordjs/rest';
import { appendAll } from '../../../core/lists.js';
import { isObject } from '../../../core/message.js';
import type { IncomingMessage } from '../../../core/ports/chatConnector.js';
import { compareSnowflakes, incomingFrom, snowflakeAt } from './discordMessages.js';

/** Older messages are not answered. */
const OLDEST_MS = 24 * 60 * 60_000;
/** https://discord.com/developers/docs/resources/message#get-channel-messages */
const PAGE = 100;
/** How many pages of a channel are read at most. */
const MAX_PAGES = 10;

/** What people said to the bot in a channel after the message `last`, oldest first; rejects as the request does. */
export async function missedMessages(
  rest: Pick<REST, 'get'>,
  channel: string,
  last: string,
  me: string,
  now: number,
): Promise<readonly IncomingMessage[]> {
  const found: unknown[] = [];
  const oldest = snowflakeAt(now - OLDEST_MS);
  let after = compareSnowflakes(last, oldest) < 0 ? oldest : last;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const query = new URLSearchParams({ after, limit: String(PAGE) });
    const page = messagesOf(await rest.get(`/channels/${channel}/messages`, { query }));
    appendAll(found, page);
    after = page.at(-1)?.id ?? after;
    if (page.length < PAGE) break;
  }
  if (found.length === 0) return [];
  const about = await rest.get(`/channels/${channel}`);
  const isDirect = isObject(about) && about.type === 1;
  return found
    .map((message) => incomingFrom(message, me, isDirect))
    .filter((message) => message !== undefined);
}

/** The messages of a page, newest first, as Discord sends them. */
function messagesOf(page: unknown): { readonly id: string }[] {
  const messages = Array.isArray(page) ? (page as unknown[]) : [];
  return messages.filter(hasId).sort((a, b) => compareSnowflakes(a.id, b.id));
}

function hasId(message: unknown): message is { readonly id: string } {
  return isObject(message) && typeof message.id === 'string';
}
