import { ConnectorExecutor } from '../../src/agents/chats/executor/connectorExecutor.js';
import { TelegramConnector } from '../../src/agents/chats/telegram/telegramConnector.js';
import { ConnectorFrontend } from '../../src/agents/frontends/connectorFrontend.js';
import { silentLog } from '../../src/core/ports/log.js';
import { askingCookie, ScriptedRunner } from './scriptedRunner.js';

/** A process that answers on Telegram until it is killed: `node connectorChild.mjs ROOT TOKEN MEMORY SENDER`. */
const [apiRoot = '', token = '', memoryPath = '', sender = ''] = process.argv.slice(2);

await new ConnectorExecutor({
  connector: new TelegramConnector({ token, apiRoot, log: silentLog, waitSeconds: 5 }),
  runner: new ScriptedRunner(askingCookie),
  makeFrontend: (poster, chat) => new ConnectorFrontend(poster, { chat, log: silentLog }),
  allowedSenders: () => [sender],
  memoryPath,
  log: silentLog,
}).start();
