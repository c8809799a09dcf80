import type { Settings } from '../ports/settings.js';
import type { Log } from '../../ports/log.js';
import type { MessageBus } from '../../ports/messageBus.js';
import type { CommandId } from '../manifest.js';

/** A chat platform as this window offers it. */
export interface BusPlatform {
  /** Part of the names of its settings, secret and memory file. */
  readonly id: 'telegram' | 'discord';
  /** The name shown to people. */
  readonly name: string;
  readonly startCommand: CommandId;
  /** Tells a person where to get a token. */
  readonly tokenHint: string;
  /** Loads its code and creates an unconnected bus with the current settings. */
  open(token: string, settings: Settings, log: Log): Promise<MessageBus>;
}

/** Telegram, as the commands and settings know it. */
export const telegram: BusPlatform = {
  id: 'telegram',
  name: 'Telegram',
  startCommand: 'startTelegram',
  tokenHint: 'The token that @BotFather gave you',
  async open(token, settings, log) {
    const { TelegramBus } = await import('../../bus/telegram/telegramBus.js');
    return new TelegramBus({ token, log, apiRoot: settings.get('telegram.apiRoot') });
  },
};

/** Discord, as the commands and settings know it. */
export const discord: BusPlatform = {
  id: 'discord',
  name: 'Discord',
  startCommand: 'startDiscord',
  tokenHint: 'The token of your bot from the Discord developer portal',
  async open(token, settings, log) {
    const { DiscordBus } = await import('../../bus/discord/discordBus.js');
    const gateway = settings.get('discord.gateway');
    const apiRoot = settings.get('discord.apiRoot');
    return new DiscordBus({ token, log, apiRoot, ...(gateway !== '' && { gateway }) });
  },
};
