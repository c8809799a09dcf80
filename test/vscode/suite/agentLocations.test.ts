import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { StrictServer } from '../../support/strictServer.js';
import { saying } from '../../support/wireAnswers.js';
import { eventually, extensionApi, workspaceFolder } from './support/extension.js';
import { withSettings } from './support/settings.js';

const { Global, Workspace } = vscode.ConfigurationTarget;

async function putAgent(folder: string, name: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${name}.agent.md`), `---\nname: ${name}\ndescription: x\n---\nYou taste.\n`);
}

/** Says in VS Code's settings where agent files lie. */
async function lookIn(target: vscode.ConfigurationTarget, ...paths: readonly string[]): Promise<void> {
  const value = paths.length === 0 ? undefined : Object.fromEntries(paths.map((path) => [path, true]));
  await vscode.workspace.getConfiguration('chat').update('agentFilesLocations', value, target);
}

/** Whether an agent of this name can be run, to its end. */
async function runs(name: string): Promise<boolean> {
  const api = await extensionApi();
  try {
    const { done } = await api.run(name, 'Taste.');
    return (await done).outcome === 'done';
  } catch (error) {
    assert.match(String(error), /There is no agent named/);
    return false;
  }
}

describe('agents in the folders of chat.agentFilesLocations', () => {
  it('are found where the person says, and in a workspace where that says', async () => {
    const far = await mkdtemp(join(tmpdir(), 'far-'));
    const folders = [join(workspaceFolder(), 'team'), join(workspaceFolder(), 'others'), far] as const;
    await putAgent(folders[0], 'Taster');
    await putAgent(folders[1], 'Guest');
    await putAgent(folders[2], 'Stranger');
    await using server = await StrictServer.start(() => saying('Mm.'));
    try {
      const endpoints = [{ name: 'loopback', url: server.url }];
      await withSettings({ endpoints, model: 'loopback/test-model' }, async () => {
        assert.deepEqual(
          [await runs('Taster'), await runs('Guest'), await runs('Stranger')],
          [false, false, false],
        );
        await lookIn(Workspace, 'others', far);
        await eventually('the workspace’s own is there', () => runs('Guest'));
        assert.equal(await runs('Stranger'), false, 'a workspace brings nobody from elsewhere');
        await lookIn(Global, 'team', far);
        await eventually('the person’s are there', () => runs('Taster'));
        assert.equal(await runs('Stranger'), true);
      });
    } finally {
      await lookIn(Workspace);
      await lookIn(Global);
      for (const folder of folders) await rm(folder, { recursive: true });
    }
  });
});
