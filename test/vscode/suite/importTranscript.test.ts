import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { eventually, extensionApi, journal, journalSoFar, workspaceFolder } from './support/extension.js';

const messages = [
  { role: 'user', content: 'List the drawers.' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'ls', arguments: '{}' } }],
  },
  { role: 'tool', tool_call_id: 'c1', content: 'spoons\nforks' },
  { role: 'assistant', content: 'Spoons and forks.' },
];

/** The conversations of the store; not those that are still being imported, whose folders get other names. */
async function conversations(): Promise<string[]> {
  const folders = await readdir(join(workspaceFolder(), '.agent-logbook/conversations')).catch(() => []);
  return folders.filter((name) => !name.startsWith('.'));
}

describe('a transcript of another tool', () => {
  for (const [what, name] of [
    ['', 'drawers.json'],
    [
      ', whatever its file is called',
      '[Yes](command:workbench.action.quit) $(trash)\u202e\u001b[2J\n<b>\u0301.json',
    ],
  ] as const)
    it(`is imported with every message, and is then a conversation like others${what}`, () => imports(name));

  async function imports(name: string): Promise<void> {
    await extensionApi();
    const folder = await mkdtemp(join(tmpdir(), 'transcript-'));
    const file = join(folder, name);
    await writeFile(file, JSON.stringify({ messages }));
    const before = new Set(await conversations());
    void vscode.commands.executeCommand('agentLogbook.importTranscript', [vscode.Uri.file(file)]);
    let imported: string | undefined;
    await eventually('the conversation is there', async () => {
      imported = (await conversations()).find((id) => !before.has(id));
      return imported !== undefined && (await journalSoFar(imported)).length >= messages.length;
    });
    const records = await journal(imported ?? '');
    const said = records.flatMap((record) => (record.type === 'message' ? [record.message] : []));
    assert.deepEqual(
      said.map(({ role, content }) => [role, content]),
      messages.map(({ role, content }) => [role, content]),
    );
    const [header = ''] = (
      await readFile(
        join(workspaceFolder(), '.agent-logbook/conversations', imported ?? '', 'messages.jsonl'),
        'utf8',
      )
    ).split('\n', 1);
    const { source } = JSON.parse(header) as { source?: { path?: string } };
    assert.equal(source?.path, file);
    await rm(folder, { recursive: true });
  }

  it('is not imported twice where it is chosen together with the one that began it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'rollouts-'));
    const thread = (number: number) => `0000000${number}-0000-4000-8000-000000000000`;
    const content = [{ type: 'input_text', text: 'Count the spoons.' }];
    const rollout = async (number: number, parent?: string) => {
      const payload = { id: thread(number), ...(parent !== undefined && { parent_thread_id: parent }) };
      const said = { type: 'response_item', payload: { type: 'message', role: 'user', content } };
      const file = join(folder, `rollout-2026-11-21T09-00-0${number}-${thread(number)}.jsonl`);
      const lines = [{ type: 'session_meta', payload }, said].map((line) => JSON.stringify(line));
      await writeFile(file, lines.join('\n'));
      return vscode.Uri.file(file);
    };
    const parent = await rollout(1);
    const child = await rollout(2, thread(1));
    const before = new Set(await conversations());
    void vscode.commands.executeCommand('agentLogbook.importTranscript', [child, parent, await rollout(3)]);
    const imported = async () => (await conversations()).filter((id) => !before.has(id));
    await eventually('both are imported', async () => (await imported()).length >= 2);
    const said = [];
    for (const id of await imported()) {
      said.push((await journal(id)).filter(({ type }) => type === 'message').length);
      await rm(join(workspaceFolder(), '.agent-logbook/conversations', id), { recursive: true });
    }
    assert.deepEqual(said.sort(), [1, 2]);
    await rm(folder, { recursive: true });
  });

  it('of many, those that were imported until Cancel is pressed are kept, each whole', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'transcripts-'));
    const files = Array.from({ length: 2_000 }, (_, at) => join(folder, `drawer ${at}.json`));
    for (const file of files) await writeFile(file, JSON.stringify({ messages }));
    const before = new Set(await conversations());
    const imported = async () => (await conversations()).filter((id) => !before.has(id));
    await vscode.commands.executeCommand('notifications.clearAll');
    let ended = false;
    const importing = vscode.commands
      .executeCommand(
        'agentLogbook.importTranscript',
        files.map((file) => vscode.Uri.file(file)),
      )
      .then(() => {
        ended = true;
      });
    await eventually('the first are imported', async () => (await imported()).length > 0);
    await eventually('the import ends when Cancel is pressed', async () => {
      // The first button of the notification that came last: that of a progress is Cancel.
      await vscode.commands.executeCommand('notification.acceptPrimaryAction');
      return ended;
    });
    await importing;
    const kept = await imported();
    assert(kept.length < files.length, 'all were imported');
    for (const id of kept) {
      const said = (await journal(id)).filter(({ type }) => type === 'message');
      assert.equal(said.length, messages.length);
      await rm(join(workspaceFolder(), '.agent-logbook/conversations', id), { recursive: true });
    }
    await vscode.commands.executeCommand('notifications.clearAll');
    await rm(folder, { recursive: true });
  });
});
