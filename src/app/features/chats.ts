/** Answering in chats: Telegram, Discord and the Chat view. The packages of a platform come when its bus is started. */
export { DiscordBus } from '../../agents/chats/discord/discordBus.js';
export { TelegramBus } from '../../agents/chats/telegram/telegramBus.js';
export { BusConversationRunner } from '../buses/busConversationRunner.js';
export { BusService } from '../buses/busService.js';
export { StreamedAnswer } from '../chat/streamedAnswer.js';
export { followUps } from '../chat/followUps.js';
