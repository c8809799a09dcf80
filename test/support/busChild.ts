import { BusExecutor } from '../../src/agents/chats/executor/busExecutor.js';
import { TelegramBus } from '../../src/agents/chats/telegram/telegramBus.js';
import { MessageBusFrontend } from '../../src/agents/frontends/messageBusFrontend.js';
import { silentLog } from '../../src/core/ports/log.js';
import { askingCookie, ScriptedRunner } from './scriptedRunner.js';

/** A process that answers on Telegram until it is killed: `node busChild.mjs ROOT TOKEN MEMORY SENDER`. */
const [apiRoot = '', token = '', memoryPath = '', sender = ''] = process.argv.slice(2);

await new BusExecutor({
  bus: new TelegramBus({ token, apiRoot, log: silentLog, waitSeconds: 5 }),
  runner: new ScriptedRunner(askingCookie),
  makeFrontend: (poster, chat) => new MessageBusFrontend(poster, { chat, log: silentLog }),
  allowedSenders: () => [sender],
  memoryPath,
  log: silentLog,
}).start();
