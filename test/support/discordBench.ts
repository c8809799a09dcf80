import {
  DiscordConnector,
  type DiscordConnectorOptions,
} from '../../src/agents/chats/discord/discordConnector.js';
import { DiscordServer } from './discordServer.js';
import { PlatformBench, platformTest } from './platformBench.js';
import { story as storyOf } from './scriptedRunner.js';

/** The direct chat of Ada, who is allowed to talk to the bot. */
export const DIRECT = '104200000000000001';

class DiscordBench extends PlatformBench<DiscordConnector> {
  override readonly server = new DiscordServer();

  constructor() {
    super('discord:42');
  }

  override connector(options: Partial<DiscordConnectorOptions> = {}): DiscordConnector {
    const { log, server, time } = this;
    const fixed = { log, clock: time, timers: time, random: () => 0 };
    return this.ending(
      new DiscordConnector({ token: server.token, apiRoot: server.root, ...fixed, ...options }),
    );
  }
}

/** A test with a server that speaks Discord's API and what it takes to talk to it. */
export const discordTest = platformTest(() => new DiscordBench());

/** What Ada sees of one question to `logbook`. */
export const story = (prompt: string) => storyOf(prompt, 'Ada', 'logbook');
