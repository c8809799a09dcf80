import { test } from 'vitest';
import { ConnectorExecutor } from '../../src/agents/chats/executor/connectorExecutor.js';
import { ConnectorFrontend } from '../../src/agents/frontends/connectorFrontend.js';
import type { IncomingMessage, ChatConnector } from '../../src/core/ports/chatConnector.js';
import type { LoopbackServer } from './loopbackServer.js';
import { ManualTime } from './manualTime.js';
import { RecordingLog } from './recordingLog.js';
import { askingCookie, ScriptedRunner } from './scriptedRunner.js';
import { soon } from './soon.js';

/** A server that speaks a platform's API and what it takes to talk to it. */
export abstract class PlatformBench<Connector extends ChatConnector> {
  abstract readonly server: LoopbackServer;
  readonly time = new ManualTime(Date.now());
  readonly log = new RecordingLog();
  readonly #sender: string;
  readonly #stops: (() => Promise<void>)[] = [];

  /** `sender` is who is allowed to talk to the bot. */
  constructor(sender: string) {
    this.#sender = sender;
  }

  /** A connector to the server. */
  abstract connector(): Connector;

  /** A connector with an executor whose agent asks Cookie before it answers `answer to …`. */
  logbook(memoryPath?: string) {
    const { log, time } = this;
    const connector = this.connector();
    const runner = new ScriptedRunner(askingCookie);
    const executor = new ConnectorExecutor({
      connector,
      runner,
      makeFrontend: (poster, chat) => new ConnectorFrontend(poster, { chat, log }),
      allowedSenders: () => [this.#sender],
      ...(memoryPath !== undefined && { memoryPath }),
      log,
      clock: time,
      timers: time,
      random: () => 0,
    });
    return { connector, executor: this.ending(executor), runner };
  }

  /** Starts a connector and gives what it delivers. */
  async delivered(connector: Connector): Promise<readonly IncomingMessage[]> {
    const messages: IncomingMessage[] = [];
    const keep = (message: IncomingMessage) => Promise.resolve(void messages.push(message));
    await connector.start(keep, new AbortController().signal);
    return messages;
  }

  /** Lets the network work and time pass, a second at a time, until the check holds. */
  eventually(check: () => void): Promise<void> {
    const later = async () => {
      await this.time.advance(1_000);
      check();
    };
    return soon(later);
  }

  async end(): Promise<void> {
    for (const stop of this.#stops.splice(0)) await stop();
    await this.server.down();
  }

  /** What is stopped when the test ends. */
  protected ending<T extends { stop(): Promise<void> }>(part: T): T {
    this.#stops.push(() => part.stop());
    return part;
  }
}

/** A test with a bench of its own. */
export function platformTest<Bench extends PlatformBench<ChatConnector>>(makeBench: () => Bench) {
  return test.extend<{ bench: Bench }>({
    bench: async ({}, use) => {
      const bench = makeBench();
      await bench.server.up();
      await use(bench);
      await bench.end();
    },
  });
}
