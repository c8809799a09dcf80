import { test, vi } from 'vitest';
import { BusExecutor } from '../../src/bus/executor/busExecutor.js';
import { DiscordBus, type DiscordBusOptions } from '../../src/bus/discord/discordBus.js';
import { MessageBusFrontend } from '../../src/frontends/messageBusFrontend.js';
import type { IncomingMessage } from '../../src/ports/messageBus.js';
import { DiscordServer } from './discordServer.js';
import { ManualTime } from './manualTime.js';
import { RecordingLog } from './recordingLog.js';
import { askingCookie, ScriptedRunner, story as storyOf } from './scriptedRunner.js';

/** The direct chat of Ada, who is allowed to talk to the bot. */
export const DIRECT = '104200000000000001';

/** A server that speaks Discord's API and what it takes to talk to it. */
export class DiscordBench {
  readonly server = new DiscordServer();
  readonly time = new ManualTime(Date.now());
  readonly log = new RecordingLog();
  readonly #ends: (() => Promise<void>)[] = [];

  discord(options: Partial<DiscordBusOptions> = {}): DiscordBus {
    const { log, server, time } = this;
    const fixed = { log, clock: time, timers: time, random: () => 0 };
    const bus = new DiscordBus({ token: server.token, apiRoot: server.root, ...fixed, ...options });
    this.#ends.push(() => bus.stop());
    return bus;
  }

  /** A bus with an executor whose agent asks Cookie before it answers `answer to …`. */
  logbook(memoryPath?: string) {
    const { log, time } = this;
    const bus = this.discord();
    const runner = new ScriptedRunner(askingCookie);
    const executor = new BusExecutor({
      bus,
      runner,
      makeFrontend: (poster, chat) => new MessageBusFrontend(poster, { chat, log }),
      allowedSenders: () => ['discord:42'],
      ...(memoryPath !== undefined && { memoryPath }),
      log,
      clock: time,
      timers: time,
      random: () => 0,
    });
    this.#ends.push(() => executor.stop());
    return { bus, executor, runner };
  }

  /** Starts a bus and gives what it delivers. */
  async delivered(bus: DiscordBus): Promise<readonly IncomingMessage[]> {
    const messages: IncomingMessage[] = [];
    const keep = (message: IncomingMessage) => Promise.resolve(void messages.push(message));
    await bus.start(keep, new AbortController().signal);
    return messages;
  }

  /** Lets the network work and time pass, a second at a time, until the check holds. */
  eventually(check: () => void): Promise<void> {
    const later = async () => {
      await this.time.advance(1_000);
      check();
    };
    return vi.waitFor(later, { timeout: 15_000, interval: 10 });
  }

  async end(): Promise<void> {
    for (const end of this.#ends.splice(0)) await end();
    await this.server.down();
  }
}

/** A test with a bench of its own. */
export const discordTest = test.extend<{ bench: DiscordBench }>({
  bench: async ({}, use) => {
    const bench = new DiscordBench();
    await bench.server.up();
    await use(bench);
    await bench.end();
  },
});

/** What Ada sees of one question to `logbook`. */
export const story = (prompt: string) => storyOf(prompt, 'Ada', 'logbook');
