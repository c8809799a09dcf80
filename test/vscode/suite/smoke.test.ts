import assert from 'node:assert/strict';
import * as vscode from 'vscode';

interface Manifest {
  contributes: {
    commands: { command: string }[];
    views: Record<string, { id: string }[]>;
  };
}

/** The extension that is tested; throws when VS Code does not have it. */
function agentLogbook(): vscode.Extension<unknown> {
  const extension = vscode.extensions.getExtension('agent-logbook.agent-logbook');
  assert(extension, 'the extension is not installed');
  return extension;
}

describe('smoke', () => {
  it('activates and gives other extensions its API', async () => {
    const api = await agentLogbook().activate();
    assert.equal(typeof api, 'object');
    assert(agentLogbook().isActive);
  });

  it('registers every command that it contributes', async () => {
    const { contributes } = agentLogbook().packageJSON as Manifest;
    const registered = new Set(await vscode.commands.getCommands(true));
    const commands = contributes.commands.map(({ command }) => command);
    assert(commands.includes('agentLogbook.runAgent'));
    assert.deepEqual(
      commands.filter((command) => !registered.has(command)),
      [],
    );
  });

  it('shows the view of the agents', async () => {
    await vscode.commands.executeCommand('agentLogbook.agents.focus');
  });
});
