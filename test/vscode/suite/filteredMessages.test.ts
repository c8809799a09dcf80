import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { EXPORT_FORMATS } from '../../../src/ports/exportFormats.js';
import { eventually, extensionApi, runAgent, workspaceFolder } from './support/extension.js';

const run = async (command: string, argument: object): Promise<unknown> =>
  vscode.commands.executeCommand(`agentLogbook.${command}`, argument);

/** A fresh folder, for as long as `work` needs it. */
async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'exports-'));
  await work(folder);
  await rm(folder, { recursive: true });
}

describe('messages that a filter finds', () => {
  let conversation: string;

  before(async () => {
    await extensionApi();
    ({ conversation } = await runAgent('Pickle', 'Why were there so few cookies on Tuesday?'));
    const found = await run('filterMessages', {
      conversation,
      criteria: { roles: ['tool'], agents: ['Cookie'] },
    });
    assert(typeof found === 'number' && found > 1, `some are found, not ${String(found)}`);
  });

  for (const format of EXPORT_FORMATS) {
    it(`are exported to a file as ${format}, fewer than all`, () =>
      inFolder(async (folder) => {
        const sizes: number[] = [];
        for (const scope of ['filtered', 'all']) {
          const file = vscode.Uri.file(join(folder, scope));
          await run('exportTranscript', { conversation, format, scope, target: 'file', file });
          sizes.push((await readFile(file.fsPath, 'utf8')).length);
        }
        const [filtered = 0, all = 0] = sizes;
        assert(filtered > 100 && filtered < all, `${filtered} of ${all} characters`);
        assert.deepEqual((await readdir(folder)).sort(), ['all', 'filtered']);
      }));
  }

  it('are exported with nothing else among them', () =>
    inFolder(async (folder) => {
      const file = vscode.Uri.file(join(folder, 'some.json'));
      await run('exportTranscript', {
        conversation,
        format: 'json',
        scope: 'filtered',
        target: 'file',
        file,
      });
      const messages = JSON.parse(await readFile(file.fsPath, 'utf8')) as { role: string; agent: string }[];
      assert.deepEqual(
        new Set(messages.map(({ role, agent }) => `${agent} ${role}`)),
        new Set(['Cookie tool']),
      );
    }));

  const views = { showTimeline: 'Turn', showStatistics: 'Message Statistics', showToolSummary: 'read_file' };
  for (const [command, words] of Object.entries(views)) {
    it(`are told as a text by ${command}`, async () => {
      await run(command, { conversation, scope: 'filtered' });
      await eventually(`${words} is shown`, () =>
        Promise.resolve(vscode.window.activeTextEditor?.document.getText().includes(words) === true),
      );
      const text = vscode.window.activeTextEditor?.document.getText() ?? '';
      assert(!text.includes('Pickle'), text);
    });
  }
});

describe('an export that is cancelled', () => {
  it('leaves nothing behind, neither the file nor a part of it', () =>
    inFolder(async (folder) => {
      const source = join(folder, 'long.json');
      const content = 'A line about butter, flour and the oven. '.repeat(20);
      const messages = Array.from({ length: 20_000 }, (_, at) => ({
        role: at % 2 === 0 ? 'user' : 'assistant',
        content: `${at} ${content}`,
      }));
      await writeFile(source, JSON.stringify({ messages }));
      const conversations = join(workspaceFolder(), '.agent-logbook/conversations');
      const before = new Set(await readdir(conversations));
      void vscode.commands.executeCommand('agentLogbook.importTranscript', [vscode.Uri.file(source)]);
      let imported = '';
      await eventually('the long transcript is imported', async () => {
        imported = (await readdir(conversations)).find((id) => !before.has(id)) ?? '';
        const journal = join(conversations, imported, 'messages.jsonl');
        // Its folder is there before its file is.
        const text = await readFile(journal, 'utf8').catch(() => '');
        return imported !== '' && text.includes('"type":"title"');
      });
      await vscode.commands.executeCommand('notifications.clearAll');
      const target = join(folder, 'target');
      await writeFile(target, 'what was there before');
      let ended = false;
      const file = vscode.Uri.file(target);
      const exporting = run('exportTranscript', {
        conversation: imported,
        format: 'csv',
        target: 'file',
        file,
      }).then(() => (ended = true));
      await eventually('a part of the file is there', async () =>
        (await readdir(folder)).some((name) => name.endsWith('.part')),
      );
      await eventually('the export has ended', async () => {
        await vscode.commands.executeCommand('notification.acceptPrimaryAction');
        return ended;
      });
      await exporting;
      assert.deepEqual((await readdir(folder)).sort(), ['long.json', 'target']);
      assert.equal(await readFile(target, 'utf8'), 'what was there before');
    }));
});
