import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { silentLog } from '../../../../src/core/ports/log.js';
import type * as Library from '../../../../src/parts.js';
import { builtBundles, packagesOf, type BuiltBundles } from '../../../support/builtBundles.js';
import { DiscordServer } from '../../../support/discordServer.js';
import { TelegramServer } from '../../../support/telegramServer.js';

let built: BuiltBundles;
let library: typeof Library;

beforeAll(async () => {
  built = await builtBundles();
  library = (await import(pathToFileURL(join(built.folder, 'parts.js')).href)) as typeof Library;
});

test('the packages of the platforms are loaded when a platform is started, not before', () => {
  const modules = built.modulesLoadedWith('parts.js');
  expect(modules).toContain('src/agents/chats/discord/discordConnector.ts');
  expect(packagesOf(modules)).not.toContain('grammy');
  expect(packagesOf(modules).filter((name) => name.includes('discord'))).toEqual([]);
});

test('with the extension nothing is loaded that a chat needs, neither a platform nor the executor', () => {
  const modules = built.modulesLoadedWith('extension.js');
  expect(modules).toContain('src/app/chat/chatConnectors.ts');
  expect(modules.filter((module) => module.startsWith('src/agents/chats/'))).toEqual([]);
  expect(packagesOf(modules)).not.toContain('grammy');
  expect(packagesOf(modules).filter((name) => name.includes('discord'))).toEqual([]);
});

test('Telegram works in a bundle', async () => {
  const server = new TelegramServer();
  await server.up();
  const connector = new library.TelegramConnector({
    token: server.token,
    apiRoot: server.root,
    log: silentLog,
  });
  await connector.start(() => Promise.resolve(), new AbortController().signal);
  expect(connector.state.kind).toBe('on');
  await connector.stop();
  await server.down();
});

test('Discord works in a bundle', async () => {
  const server = new DiscordServer();
  await server.up();
  const connector = new library.DiscordConnector({
    token: server.token,
    apiRoot: server.root,
    log: silentLog,
  });
  await connector.start(() => Promise.resolve(), new AbortController().signal);
  expect(connector.state.kind).toBe('on');
  await connector.stop();
  await server.down();
});
