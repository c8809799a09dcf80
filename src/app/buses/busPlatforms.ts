import { message } from '../../core/l10n.js';
import { features } from '../features/features.js';
import type { BusPlatform } from './busPlatform.js';

/** Telegram, as the commands and settings know it. */
export const telegram: BusPlatform = {
  id: 'telegram',
  name: 'Telegram',
  startCommand: 'startTelegram',
  tokenHint: message`The token that @BotFather gave you`,
  async open(token, settings, log) {
    const { TelegramBus } = await features.chats();
    return new TelegramBus({ token, log, apiRoot: settings.get('telegram.apiRoot') });
  },
};

/** Discord, as the commands and settings know it. */
export const discord: BusPlatform = {
  id: 'discord',
  name: 'Discord',
  startCommand: 'startDiscord',
  tokenHint: message`The token of your bot from the Discord developer portal`,
  async open(token, settings, log) {
    const { DiscordBus } = await features.chats();
    const gateway = settings.get('discord.gateway');
    const apiRoot = settings.get('discord.apiRoot');
    return new DiscordBus({ token, log, apiRoot, ...(gateway !== '' && { gateway }) });
  },
};
