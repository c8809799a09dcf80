import type { Message, UserFromGetMe } from 'grammy/types';
import type { IncomingMessage } from '../../../core/ports/chatConnector.js';

/** The target of a post: a chat, and in a forum one of its topics. */
export interface TelegramChat {
  readonly chat_id: number;
  readonly message_thread_id?: number;
}

/** The name, across all connectors, of a chat, like `telegram:-10042` or, for a topic, `telegram:-10042:7`. */
function nameOfChat({ chat_id, message_thread_id }: TelegramChat): string {
  return message_thread_id === undefined ? `telegram:${chat_id}` : `telegram:${chat_id}:${message_thread_id}`;
}

/** The chat in such a name; undefined for the name of another connector. */
export function chatOfName(name: string): TelegramChat | undefined {
  const [, chat, topic] = /^telegram:(-?\d{1,16})(?::(\d{1,16}))?$/.exec(name) ?? [];
  if (chat === undefined) return undefined;
  return { chat_id: Number(chat), ...(topic !== undefined && { message_thread_id: Number(topic) }) };
}

/**
 * Converts a Telegram message that a person addressed to the bot; undefined for any other: from bots or Telegram itself,
 * and in groups for messages that neither start with `/`, name the bot nor reply to it.
 */
export function incomingFrom(message: Message, me: UserFromGetMe): IncomingMessage | undefined {
  const { from, chat, message_id, is_topic_message, message_thread_id } = message;
  const said = message.text ?? message.caption ?? (isMedia(message) ? '' : undefined);
  if (said === undefined || from === undefined || from.is_bot) return undefined;
  const name = `@${me.username}`;
  const named = said.toLowerCase().includes(name.toLowerCase());
  const replied = message.reply_to_message?.from?.id === me.id;
  if (chat.type !== 'private' && !named && !replied && !said.startsWith('/')) return undefined;
  const inTopic = is_topic_message === true && message_thread_id !== undefined;
  return {
    id: `telegram:${chat.id}/${message_id}`,
    chat: nameOfChat({ chat_id: chat.id, ...(inTopic && { message_thread_id }) }),
    sender: { id: `telegram:${from.id}`, name: from.first_name },
    text: said.toLowerCase().startsWith(name.toLowerCase()) ? said.slice(name.length).trim() : said,
    time: message.date * 1000,
  };
}

function isMedia(message: Message): boolean {
  const { photo, voice, audio, video, video_note, document, sticker, animation } = message;
  return [photo, voice, audio, video, video_note, document, sticker, animation].some((media) => media);
}
