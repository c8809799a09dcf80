import type * as vscode from 'vscode';
import { isObject } from '../../core/message.js';
import { settledWithin, systemTimers } from '../../core/timers.js';
import type { Log } from '../../ports/log.js';
import type { AgentLibrary } from '../agentLibrary.js';
import { showInformation } from '../surfaces/notices.js';
import { askForText } from '../surfaces/pickers.js';
import { words } from '../../app/text/plainText.js';
import type { TeamRuns } from '../runs/teamRuns.js';
import { setting } from '../settings.js';
import { chosen, UserError } from '../../app/userError.js';
import { requireTrust } from '../workspaceFolders.js';
import { discord, telegram, type BusPlatform } from './busPlatform.js';
import type { BusService } from './busService.js';

/** What the chat platforms need. */
export interface MessageBusesDeps {
  readonly library: AgentLibrary;
  readonly runs: TeamRuns;
  readonly log: Log;
}

/** VS Code ends an extension after five seconds; the remaining time is for writing transcripts. */
const CLOSE_MS = 3_000;

/** The chat platforms; each is off, and its code not loaded, until a command starts it. */
export class MessageBuses implements vscode.Disposable {
  readonly #context: vscode.ExtensionContext;
  readonly #deps: MessageBusesDeps;
  readonly #services = new Map<BusPlatform, Promise<BusService>>();
  #closed = false;

  constructor(context: vscode.ExtensionContext, deps: MessageBusesDeps) {
    this.#context = context;
    this.#deps = deps;
  }

  /** The commands of all platforms. */
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

  /** Stops every bus for good, waiting at most `CLOSE_MS`; never rejects. */
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

  async #setToken(platform: BusPlatform, argument?: unknown): Promise<void> {
    const given = isObject(argument) && typeof argument.token === 'string' ? argument.token : undefined;
    const token = (given ?? (await askToken(platform))).trim();
    if (token === '') await this.#context.secrets.delete(secretOf(platform));
    else await this.#context.secrets.store(secretOf(platform), token);
    const done = token === '' ? 'removed' : 'kept; it counts from the next start';
    void showInformation(words`The token of ${platform.name} is ${done}.`);
  }

  async #start(platform: BusPlatform): Promise<void> {
    requireTrust();
    if ((await this.#context.secrets.get(secretOf(platform))) === undefined) await this.#setToken(platform);
    const token = await this.#context.secrets.get(secretOf(platform));
    if (token === undefined) throw new UserError(`${platform.name} cannot start without a token.`);
    if (setting(`${platform.id}.allowedSenders`).length === 0) {
      const id = `agentLogbook.${platform.id}.allowedSenders`;
      this.#deps.log.warn(`${platform.name} answers nobody yet: the setting ${id} is empty.`);
      void showInformation(
        words`Nobody may write yet. Write to the bot: it tells you the id to add to the setting ${id}.`,
      );
    }
    await (await this.#service(platform)).start(token);
  }

  async #stop(platform: BusPlatform): Promise<void> {
    await (await this.#services.get(platform))?.stop();
  }

  #service(platform: BusPlatform): Promise<BusService> {
    const known = this.#services.get(platform);
    if (known) return known;
    const service = this.#load(platform);
    this.#services.set(platform, service);
    service.catch(() => this.#services.delete(platform));
    return service;
  }

  async #load(platform: BusPlatform): Promise<BusService> {
    const [{ BusService }, { TeamRunner }] = await Promise.all([
      import('./busService.js'),
      import('./teamRunner.js'),
    ]);
    const agentSetting = `${platform.id}.agent` as const;
    const runner = new TeamRunner({ ...this.#deps, frontendName: platform.name, agentSetting });
    if (this.#closed) throw new UserError('The window is closing.');
    const { globalStorageUri: storage } = this.#context;
    return new BusService({ platform, runner, storage, log: this.#deps.log });
  }
}

function secretOf({ id }: BusPlatform): string {
  return `bus-token:${id}`;
}

async function askToken({ name, tokenHint }: BusPlatform): Promise<string> {
  return chosen(
    await askForText({
      title: words`Token of the ${name} bot`,
      prompt: words`${tokenHint}. Kept in the secret storage of VS Code; empty: remove it.`,
      password: true,
      ignoreFocusOut: true,
    }),
  );
}
