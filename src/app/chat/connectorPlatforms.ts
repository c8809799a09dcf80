import { message } from '../../core/l10n.js';
import { features } from '../features/features.js';
import type { ConnectorPlatform } from '../connectors/connectorPlatform.js';

/** Telegram, as the commands and settings know it. */
export const telegram: ConnectorPlatform = {
  id: 'telegram',
  name: 'Telegram',
  startCommand: 'startTelegram',
  tokenHint: message`The token that @BotFather gave you`,
  async open(token, settings, log) {
    const { TelegramConnector } = await features.chats();
    return new TelegramConnector({ token, log, apiRoot: settings.get('telegram.apiRoot') });
  },
};

/** Discord, as the commands and settings know it. */
export const discord: ConnectorPlatform = {
  id: 'discord',
  name: 'Discord',
  startCommand: 'startDiscord',
  tokenHint: message`The token of your bot from the Discord developer portal`,
  async open(token, settings, log) {
    const { DiscordConnector } = await features.chats();
    const gateway = settings.get('discord.gateway');
    const apiRoot = settings.get('discord.apiRoot');
    return new DiscordConnector({ token, log, apiRoot, ...(gateway !== '' && { gateway }) });
  },
};
