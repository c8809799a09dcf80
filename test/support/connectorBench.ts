import { ConnectorExecutor } from '../../src/agents/chats/executor/connectorExecutor.js';
import type { ConnectorExecutorOptions } from '../../src/agents/chats/executor/connectorSession.js';
import { ConnectorFrontend } from '../../src/agents/frontends/connectorFrontend.js';
import { ManualTime, settle } from './manualTime.js';
import { MemoryConnector } from './memoryConnector.js';
import { RecordingLog } from './recordingLog.js';
import { ScriptedRunner } from './scriptedRunner.js';

/** An executor over a platform in memory, with a runner by script and a time that the test moves. */
export function connectorBench(options: Partial<ConnectorExecutorOptions> = {}) {
  const connector = new MemoryConnector();
  const runner = new ScriptedRunner();
  const time = new ManualTime();
  const log = new RecordingLog();
  const executor = new ConnectorExecutor({
    connector,
    runner,
    makeFrontend: (poster, chat) => new ConnectorFrontend(poster, { chat, log, timers: time }),
    allowedSenders: () => ['test:ada'],
    log,
    clock: time,
    timers: time,
    random: () => 0,
    ...options,
  });
  return { connector, runner, time, log, executor };
}

/** Lets files be written and everything that then can go on go on. */
export async function quiet(): Promise<void> {
  for (let n = 0; n < 20; n++) await settle();
}
