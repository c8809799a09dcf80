import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { EXPORT_FORMATS } from '../../../src/core/ports/exportFormats.js';
import { eventually, extensionApi, runAgent } from './support/extension.js';

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
    const text = 'role:tool agent:Cookie';
    const found = await run('filterMessages', { conversation, question: { text, rows: 'messages' } });
    assert(typeof found === 'number' && found > 1, `some are found, not ${String(found)}`);
    const criteria = { roles: ['tool'], agents: ['Cookie'] };
    assert.equal(await run('filterMessages', { conversation, criteria }), found);
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
