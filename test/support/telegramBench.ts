import { TelegramConnector } from '../../src/agents/chats/telegram/telegramConnector.js';
import { PlatformBench, platformTest } from './platformBench.js';
import { story as storyOf } from './scriptedRunner.js';
import { TelegramServer } from './telegramServer.js';

/** The one who is allowed to talk to the bot, and her private chat with it. */
export const ADA = 42;

class TelegramBench extends PlatformBench<TelegramConnector> {
  override readonly server = new TelegramServer();

  constructor() {
    super(`telegram:${ADA}`);
  }

  override connector(options: { token?: string; apiRoot?: string } = {}): TelegramConnector {
    const { log, server, time } = this;
    const fixed = { log, timers: time, random: () => 0, waitSeconds: 5 };
    return this.ending(
      new TelegramConnector({ token: server.token, apiRoot: server.root, ...fixed, ...options }),
    );
  }
}

/** A test with a server that speaks Telegram's API and what it takes to talk to it. */
export const telegramTest = platformTest(() => new TelegramBench());

/** What Ada sees of one question to `logbook`. */
export const story = (prompt: string) => storyOf(prompt, 'Ada', 'Logbook');
