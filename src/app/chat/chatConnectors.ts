import { inLanguage, t, message } from '../../core/l10n.js';
import type { RunStarter } from '../answers/runRequest.js';
import type { Disposable } from '../../core/event.js';
import type { Secrets, Settings } from '../ports/settings.js';
import type { Agents } from '../ports/host.js';
import { type Workspace, requireTrust } from '../ports/workspace.js';
import type { Dialogs } from '../ports/dialogs.js';
import { isObject } from '../../core/message.js';
import { settledWithin, systemTimers } from '../../core/timers.js';
import type { Log } from '../../core/ports/log.js';
import { words } from '../text/plainText.js';
import { chosen, UserError } from '../userError.js';
import type { ChatConnector } from '../../core/ports/chatConnector.js';
import type { ConnectorPlatform } from '../connectors/connectorPlatform.js';
import type { ConnectorService, ConnectorStatusView } from '../connectors/connectorService.js';
import { features } from '../features/features.js';

/** What the chat platforms need. */
export interface ChatConnectorsOptions {
  readonly library: Agents;
  readonly runs: RunStarter;
  readonly settings: Settings;
  readonly workspace: Pick<Workspace, 'isTrusted'>;
  readonly dialogs: Pick<Dialogs, 'askForText' | 'showInformation'>;
  readonly secrets: Secrets;
  /** The folder in which the connectors keep what must survive a restart. */
  readonly storage: string;
  /** Makes what shows the state of a platform's connector. */
  readonly statusOf: (platform: ConnectorPlatform) => ConnectorStatusView;
  readonly log: Log;
}

/** A chat platform, as a list of them shows it. */
export interface ChatPlatform {
  readonly id: ConnectorPlatform['id'];
  readonly name: string;
  readonly isOn: boolean;
  readonly hasToken: boolean;
  /** Asks for a token where none is kept. */
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
  readonly setToken: () => Promise<void>;
}

/** VS Code ends an extension after five seconds; the remaining time is for writing transcripts. */
const CLOSE_MS = 3_000;

/** The chat platforms; each is off, and its code not loaded, until a command starts it. */
export class ChatConnectors implements Disposable {
  readonly #options: ChatConnectorsOptions;
  readonly #services = new Map<ConnectorPlatform, Promise<ConnectorService>>();
  #closed = false;

  constructor(options: ChatConnectorsOptions) {
    this.#options = options;
  }

  /** The platforms, with what can be done about each in this window. */
  async platforms(): Promise<readonly ChatPlatform[]> {
    return Promise.all(
      [telegram, discord].map(async (platform) => ({
        id: platform.id,
        name: platform.name,
        isOn: (await this.#services.get(platform))?.isOn === true,
        hasToken: (await this.#options.secrets.get(secretOf(platform))) !== undefined,
        start: () => this.#start(platform),
        stop: () => this.#stop(platform),
        setToken: () => this.#setToken(platform),
      })),
    );
  }

  /** What this window is connected to of a platform. */
  async connected(platform: ConnectorPlatform['id']): Promise<ChatConnector | undefined> {
    return (await [...this.#services].find(([{ id }]) => id === platform)?.[1])?.connected;
  }

  /** The commands of single platforms. */
  commands() {
    return {
      setTelegramToken: (argument?: unknown) => this.#setToken(telegram, argument),
      startTelegram: () => this.#start(telegram),
      stopTelegram: () => this.#stop(telegram),
      setDiscordToken: (argument?: unknown) => this.#setToken(discord, argument),
      startDiscord: () => this.#start(discord),
      stopDiscord: () => this.#stop(discord),
    };
  }

  /** Stops every connector for good, waiting at most `CLOSE_MS`; never rejects. */
  async close(): Promise<void> {
    this.#closed = true;
    const stopping = [...this.#services.values()].map(async (service) => (await service).stop());
    await settledWithin(systemTimers, CLOSE_MS, Promise.allSettled(stopping));
  }

  dispose(): void {
    this.#closed = true;
    // A service that could not be loaded was reported to whoever wanted it.
    for (const service of this.#services.values())
      service.then(
        (loaded) => loaded.dispose(),
        () => undefined,
      );
  }

  async #setToken(platform: ConnectorPlatform, argument?: unknown): Promise<void> {
    const given = isObject(argument) && typeof argument.token === 'string' ? argument.token : undefined;
    const token = (given ?? (await this.#askToken(platform))).trim();
    if (token === '') await this.#options.secrets.delete(secretOf(platform));
    else await this.#options.secrets.store(secretOf(platform), token);
    const done = token === '' ? 'removed' : t`kept; it counts from the next start`;
    void this.#options.dialogs.showInformation(words`The token of ${platform.name} is ${done}.`);
  }

  async #start(platform: ConnectorPlatform): Promise<void> {
    requireTrust(this.#options.workspace);
    if ((await this.#options.secrets.get(secretOf(platform))) === undefined) await this.#setToken(platform);
    const token = await this.#options.secrets.get(secretOf(platform));
    if (token === undefined) throw new UserError(t`${platform.name} cannot start without a token.`);
    if (this.#options.settings.get(`${platform.id}.allowedSenders`).length === 0) {
      const id = `agentLogbook.${platform.id}.allowedSenders`;
      this.#options.log.warn(`${platform.name} answers nobody yet: the setting ${id} is empty.`);
      void this.#options.dialogs.showInformation(
        words`Nobody may write yet. Write to the bot: it tells you the id to add to the setting ${id}.`,
      );
    }
    await (await this.#service(platform)).start(token);
  }

  async #stop(platform: ConnectorPlatform): Promise<void> {
    await (await this.#services.get(platform))?.stop();
  }

  #service(platform: ConnectorPlatform): Promise<ConnectorService> {
    const known = this.#services.get(platform);
    if (known) return known;
    const service = this.#load(platform);
    this.#services.set(platform, service);
    service.catch(() => this.#services.delete(platform));
    return service;
  }

  async #load(platform: ConnectorPlatform): Promise<ConnectorService> {
    const { ConnectorService, ConnectorConversationRunner } = await features.chats();
    const agentSetting = `${platform.id}.agent` as const;
    const runner = new ConnectorConversationRunner({
      ...this.#options,
      frontendName: platform.name,
      agentSetting,
    });
    if (this.#closed) throw new UserError(t`The window is closing.`);
    const { storage, settings, statusOf, log } = this.#options;
    return new ConnectorService({ platform, runner, storage, settings, status: statusOf(platform), log });
  }

  async #askToken({ name, tokenHint }: ConnectorPlatform): Promise<string> {
    return chosen(
      await this.#options.dialogs.askForText({
        title: words`Token of the ${name} bot`,
        prompt: words`${inLanguage(tokenHint)}. Kept in the secret storage of VS Code; empty: remove it.`,
        password: true,
        ignoreFocusOut: true,
      }),
    );
  }
}

function secretOf({ id }: ConnectorPlatform): string {
  return `bus-token:${id}`;
}

/** Telegram, as the commands and settings know it. */
const telegram: ConnectorPlatform = {
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
const discord: ConnectorPlatform = {
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
