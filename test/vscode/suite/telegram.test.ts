import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { TelegramServer } from '../../support/telegramServer.js';
import { eventually, extensionApi } from './support/extension.js';
import { withSettings } from './support/settings.js';

const ADA = 42;
const STRANGER = 43;
const QUESTION = 'Why were there so few cookies on Tuesday?';
const TASK = 'Find out why the cookies on Tuesday came out so small.';

const run = (command: string, argument?: object) =>
  vscode.commands.executeCommand(`agentLogbook.${command}`, argument);

describe('Telegram', () => {
  it('shows whom the team asks and who waits for an approval, turns strangers away, misses nothing while off', async () => {
    await extensionApi();
    const server = new TelegramServer();
    await server.up();
    const allowedSenders = [`telegram:${ADA}`];
    const settings = { 'telegram.apiRoot': server.root, 'telegram.allowedSenders': allowedSenders };
    await withSettings({ ...settings, 'telegram.agent': 'Pickle' }, async () => {
      await run('setTelegramToken', { token: server.token });
      await run('startTelegram');
      server.says(ADA, QUESTION);
      await eventually('the team answers', () => server.chat(ADA).length === 4);
      const [asked, dispatched = '', cookie = '', answer = ''] = server.chat(ADA);
      assert.equal(asked, `Ada: ${QUESTION}`);
      assert(dispatched.startsWith(`Logbook: Pickle: @cookie ${TASK}`), dispatched);
      assert.match(cookie, /^Logbook: Cookie: - /);
      assert.match(answer, /^Logbook: The card is fine\./);

      server.says(STRANGER, QUESTION);
      await eventually('the stranger is told', () => server.chat(STRANGER).length === 2);
      assert.match(server.chat(STRANGER)[1] ?? '', new RegExp(`telegram:${STRANGER}`));

      await run('stopTelegram');
      server.says(ADA, '/help');
      assert.equal(server.chat(ADA).length, 5);
      await run('startTelegram');
      await eventually('what was said meanwhile is answered', () => server.chat(ADA).length === 6);
      server.says(ADA, '/new');
      server.says(ADA, 'Prove it.');
      const last = () => server.chat(ADA).at(-1) ?? '';
      await eventually('Ada is told that somebody waits', () => last().includes('waits for an approval'));
      assert.match(
        last(),
        /^Logbook: (Crumb|Cookie): waits for an approval\. It is asked and given in VS Code only/,
      );
      server.says(ADA, '/stop');
      await eventually('the run is ended', () => last() === 'Logbook: Stopped.');

      await run('stopTelegram');
    });
    await run('setTelegramToken', { token: '' });
    await server.down();
  });
});
