import { BusExecutor } from '../../src/agents/chats/executor/busExecutor.js';
import type { BusExecutorOptions } from '../../src/agents/chats/executor/busSession.js';
import { MessageBusFrontend } from '../../src/agents/frontends/messageBusFrontend.js';
import { ManualTime, settle } from './manualTime.js';
import { MemoryBus } from './memoryBus.js';
import { RecordingLog } from './recordingLog.js';
import { ScriptedRunner } from './scriptedRunner.js';

/** An executor over a platform in memory, with a runner by script and a time that the test moves. */
export function busBench(options: Partial<BusExecutorOptions> = {}) {
  const bus = new MemoryBus();
  const runner = new ScriptedRunner();
  const time = new ManualTime();
  const log = new RecordingLog();
  const executor = new BusExecutor({
    bus,
    runner,
    makeFrontend: (poster, chat) => new MessageBusFrontend(poster, { chat, log, timers: time }),
    allowedSenders: () => ['test:ada'],
    log,
    clock: time,
    timers: time,
    random: () => 0,
    ...options,
  });
  return { bus, runner, time, log, executor };
}

/** Lets files be written and everything that then can go on go on. */
export async function quiet(): Promise<void> {
  for (let n = 0; n < 20; n++) await settle();
}
