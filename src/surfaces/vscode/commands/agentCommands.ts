import { t } from '../../../core/l10n.js';
import { READ_ONLY } from '../../../app/ports/workspace.js';
import * as vscode from 'vscode';
import { isObject } from '../../../core/message.js';
import type { AgentLibrary } from '../agentLibrary.js';
import { askForText } from '../ui/pickers.js';
import { words } from '../../../app/text/plainText.js';
import { chosen, UserError } from '../../../app/userError.js';
import { openFolder, requireTrust, workingFolder } from '../workspaceFolders.js';

/** The commands about agent definitions. */
export function agentCommands(library: AgentLibrary) {
  return {
    async createAgent() {
      requireTrust(READ_ONLY);
      const folder = workingFolder();
      if (!folder) throw new UserError(t`An agent is a file of a folder, and none is open.`, openFolder);
      const name = chosen(
        await askForText({
          title: words`New Agent`,
          prompt: words`Its name, as people and other agents will call it`,
          validateInput: (text) =>
            fileNameOf(text) === '' ? words`A name needs at least one letter.` : undefined,
        }),
      ).trim();
      const uri = vscode.Uri.joinPath(folder.uri, '.github', 'agents', `${fileNameOf(name)}.agent.md`);
      if (await exists(uri))
        throw new UserError(t`${vscode.workspace.asRelativePath(uri)} is there already.`);
      await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(template(name)));
      library.refresh();
      await vscode.window.showTextDocument(uri, { preview: false, viewColumn: besideWalkthrough() });
    },

    async openAgent(argument?: unknown) {
      const path = isObject(argument) && isObject(argument.file) ? argument.file.path : undefined;
      if (typeof path !== 'string') throw new UserError(t`Choose an agent in the Agents view.`);
      await vscode.window.showTextDocument(vscode.Uri.file(path));
    },

    refreshAgents() {
      library.refresh();
    },
  };
}

function template(name: string): string {
  return `---
name: ${JSON.stringify(name)}
description: What ${name} is good at, in one sentence
tools: ['read', 'search', 'agent']
agents: ['*']
---

You are ${name}. Say what you do, how you work, and what a good answer looks like.
`;
}

/** The column of a new editor: beside a walkthrough, whose steps it belongs to, else where the person is. */
function besideWalkthrough(): vscode.ViewColumn {
  const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
  // VS Code tells nothing about the page with its walkthroughs, which is the only such tab.
  const isWalkthrough = tab !== undefined && tab.input === undefined;
  return isWalkthrough ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active;
}

/** The name as a file name: letters and digits of any script, joined by hyphens. */
function fileNameOf(name: string): string {
  return name
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .join('-');
}

async function exists(uri: vscode.Uri): Promise<boolean> {
  try {
    await vscode.workspace.fs.stat(uri);
    return true;
  } catch {
    return false; // Nothing is there that could be overwritten.
  }
}
