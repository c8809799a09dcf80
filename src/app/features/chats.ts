/** Answering in chats: Telegram, Discord and the Chat view. The packages of a platform come when its connector is started. */
export { DiscordConnector } from '../../agents/chats/discord/discordConnector.js';
export { TelegramConnector } from '../../agents/chats/telegram/telegramConnector.js';
export { ConnectorConversationRunner } from '../connectors/connectorConversationRunner.js';
export { ConnectorService } from '../connectors/connectorService.js';
export { StreamedAnswer } from '../answers/streamedAnswer.js';
export { followUps } from '../answers/followUps.js';
