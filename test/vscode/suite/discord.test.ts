import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { DiscordServer } from '../../support/discordServer.js';
import { eventually, extensionApi } from './support/extension.js';
import { withSettings } from './support/settings.js';

/** The direct chat of Ada, whose id is 42. */
const DIRECT = '104200000000000001';
const QUESTION = 'Why were there so few cookies on Tuesday?';
const TASK = 'Find out why the cookies on Tuesday came out so small.';

const run = (command: string, argument?: object) =>
  vscode.commands.executeCommand(`agentLogbook.${command}`, argument);

describe('Discord', () => {
  it('shows a whole conversation of the team and misses nothing while it is off', async () => {
    await extensionApi();
    const server = new DiscordServer();
    await server.up();
    const settings = {
      'chats.servers': { discord: server.root, discordGateway: server.gatewayUrl },
      'discord.allowedSenders': ['discord:42'],
      'discord.agent': 'Pickle',
    };
    await withSettings(settings, async () => {
      await run('setDiscordToken', { token: server.token });
      await run('startDiscord');
      assert.deepEqual(server.gateway.heard, ['identify']);
      server.says(DIRECT, QUESTION);
      await eventually('the team answers', () => server.channel(DIRECT).length === 4);
      const [asked, dispatched = '', cookie = '', answer = ''] = server.channel(DIRECT);
      assert.equal(asked, `Ada: ${QUESTION}`);
      assert(dispatched.startsWith(`logbook: Pickle: @cookie ${TASK}`), dispatched);
      assert.match(cookie, /^logbook: Cookie: - /);
      assert.match(answer, /^logbook: The card is fine\./);

      await run('stopDiscord');
      await run('stopDiscord');
      await eventually('the connection ends', () => server.gateway.sockets.clients.size === 0);
      server.says(DIRECT, '/help');
      assert.equal(server.channel(DIRECT).length, 5);
      await run('startDiscord');
      await eventually('what was said meanwhile is answered', () => server.channel(DIRECT).length === 6);
      assert.match(server.channel(DIRECT)[5] ?? '', /^logbook: Write to me and an agent answers\./);
      await run('stopDiscord');
    });
    await run('setDiscordToken', { token: '' });
    await server.down();
  });
});
