import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { mcpProviderId, mcpServerLabel, sessionToolNames } from '../../../app/manifest.js';
import type { Stores } from '../../../app/services/stores.js';
import type * as asking from './asking.js';

/** Offers VS Code the server with which models read the sessions of this window, once any is recorded. */
export function mcpServers(
  { extensionPath, packageJSON }: vscode.Extension<unknown>,
  stores: Pick<Stores, 'roots' | 'onDidChange'>,
): vscode.Disposable {
  const changed = new vscode.EventEmitter<void>();
  const roots = () => stores.roots().filter((root) => existsSync(root));
  /** The stores that were last offered. */
  let offered = '';
  // The first conversation makes the store.
  const look = () => {
    if (roots().join() !== offered) changed.fire();
  };
  const provider: vscode.McpServerDefinitionProvider<vscode.McpStdioServerDefinition> = {
    onDidChangeMcpServerDefinitions: changed.event,
    provideMcpServerDefinitions() {
      const all = roots();
      offered = all.join();
      const words = [join(extensionPath, 'dist', 'cli.cjs'), 'mcp', ...all];
      // Git reads the settings of the repository, which nobody has looked at in a folder that is not trusted.
      if (!vscode.workspace.isTrusted) words.push('--no-git');
      // The editor's own program is Node with this.
      const asNode = { ELECTRON_RUN_AS_NODE: '1' };
      const { version } = packageJSON as { readonly version: string };
      return all.length === 0
        ? []
        : [new vscode.McpStdioServerDefinition(mcpServerLabel, process.execPath, words, asNode, version)];
    },
  };
  return vscode.Disposable.from(
    changed,
    vscode.lm.registerMcpServerDefinitionProvider(mcpProviderId, provider),
    vscode.workspace.onDidChangeWorkspaceFolders(look),
    stores.onDidChange(look),
  );
}

/** Registers the tools with which models of VS Code read recorded sessions; what answers is loaded with the first call. */
export function sessionTools(load: () => Promise<asking.Asking>): vscode.Disposable {
  return vscode.Disposable.from(
    ...sessionToolNames.map((name) =>
      vscode.lm.registerTool<unknown>(name, {
        prepareInvocation: async ({ input }) => (await load()).prepare(name, input),
        invoke: async ({ input, tokenizationOptions }, token) =>
          (await load()).invoke(name, input, tokenizationOptions?.tokenBudget, token),
      }),
    ),
  );
}
