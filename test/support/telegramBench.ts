import { test, vi } from 'vitest';
import { BusExecutor } from '../../src/bus/executor/busExecutor.js';
import { TelegramBus } from '../../src/bus/telegram/telegramBus.js';
import { MessageBusFrontend } from '../../src/frontends/messageBusFrontend.js';
import type { IncomingMessage } from '../../src/ports/messageBus.js';
import { ManualTime } from './manualTime.js';
import { RecordingLog } from './recordingLog.js';
import { askingCookie, ScriptedRunner, story as storyOf } from './scriptedRunner.js';
import { TelegramServer } from './telegramServer.js';

/** The one who is allowed to talk to the bot, and her private chat with it. */
export const ADA = 42;

/** A server that speaks Telegram's API and what it takes to talk to it. */
export class TelegramBench {
  readonly server = new TelegramServer();
  readonly time = new ManualTime(Date.now());
  readonly log = new RecordingLog();
  readonly #ends: (() => Promise<void>)[] = [];

  telegram(options: { token?: string; apiRoot?: string } = {}): TelegramBus {
    const { log, server, time } = this;
    const fixed = { log, timers: time, random: () => 0, waitSeconds: 5 };
    const bus = new TelegramBus({ token: server.token, apiRoot: server.root, ...fixed, ...options });
    this.#ends.push(() => bus.stop());
    return bus;
  }

  /** A bus with an executor whose agent asks Cookie before it answers `answer to …`. */
  logbook(memoryPath?: string) {
    const { log, time } = this;
    const bus = this.telegram();
    const runner = new ScriptedRunner(askingCookie);
    const executor = new BusExecutor({
      bus,
      runner,
      makeFrontend: (poster, chat) => new MessageBusFrontend(poster, { chat, log }),
      allowedSenders: () => [`telegram:${ADA}`],
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
  async delivered(bus: TelegramBus): Promise<readonly IncomingMessage[]> {
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
    return vi.waitFor(later, { timeout: 10_000, interval: 5 });
  }

  async end(): Promise<void> {
    for (const end of this.#ends.splice(0)) await end();
    await this.server.down();
  }
}

/** Lets the network work until the check holds; time stands still. */
export function soon(check: () => void): Promise<void> {
  return vi.waitFor(check, { timeout: 10_000, interval: 5 });
}

/** A test with a bench of its own. */
export const telegramTest = test.extend<{ bench: TelegramBench }>({
  bench: async ({}, use) => {
    const bench = new TelegramBench();
    await bench.server.up();
    await use(bench);
    await bench.end();
  },
});

/** What Ada sees of one question to `logbook`. */
export const story = (prompt: string) => storyOf(prompt, 'Ada', 'Logbook');
