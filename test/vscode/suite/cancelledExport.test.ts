import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { eventually, extensionApi, workspaceFolder } from './support/extension.js';

const CONVERSATION = 'a-conversation-too-long-to-wait-for';

/** So many messages of a kilobyte are counted and written for seconds on any machine. */
const MESSAGES = 60_000;

/** A line as another program might write it, without a checksum. */
function line(seq: number): string {
  const header = { seq, id: `m_${seq}`, time: 1_790_000_000_000 + seq, conversation: CONVERSATION };
  const place = { run: 'r', call: 'k', agent: 'Pickle', depth: 0, type: 'message' };
  const content = `row ${seq} of the pickle list; `.repeat(40);
  return JSON.stringify({ ...header, ...place, message: { role: 'assistant', content } });
}

/** Presses the first button of the notification that came last: that of a progress is Cancel. */
const pressButton = async (): Promise<void> =>
  vscode.commands.executeCommand('notification.acceptPrimaryAction');

describe('an export that is cancelled in its notification', () => {
  const conversation = join(workspaceFolder(), '.agent-logbook/conversations', CONVERSATION);
  let folder: string;

  before(async () => {
    const { accumulator } = await extensionApi();
    assert(accumulator, 'the extension is active');
    await mkdir(conversation, { recursive: true });
    const header = JSON.stringify({ logbook: 1, conversation: CONVERSATION, created: 1_790_000_000_000 });
    const lines = Array.from({ length: MESSAGES }, (_, at) => line(at + 1));
    await writeFile(join(conversation, 'messages.jsonl'), `${[header, ...lines].join('\n')}\n`);
    folder = await mkdtemp(join(tmpdir(), 'cancelled-'));
  });

  after(async () => {
    await rm(folder, { recursive: true, force: true });
    await rm(conversation, { recursive: true, force: true });
  });

  it('leaves the file that was there as it was, and nothing beside it', async () => {
    const target = join(folder, 'transcript.json');
    await writeFile(target, 'what was there before');
    await vscode.commands.executeCommand('notifications.clearAll');
    let ended = false;
    const exporting = vscode.commands
      .executeCommand('agentLogbook.exportTranscript', {
        conversation: CONVERSATION,
        format: 'json',
        target: 'file',
        file: vscode.Uri.file(target),
      })
      .then(() => {
        ended = true;
      });
    await eventually('a part of the export is written', async () => (await readdir(folder)).length === 2);
    await eventually('the export ends when Cancel is pressed', async () => {
      await pressButton();
      return ended;
    });
    await exporting;
    assert.deepEqual(await readdir(folder), ['transcript.json']);
    assert.equal(await readFile(target, 'utf8'), 'what was there before');
  });
});
