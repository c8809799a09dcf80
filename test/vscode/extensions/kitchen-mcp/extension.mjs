import { join } from 'node:path';
import * as vscode from 'vscode';

/**
 * Offers the server of this folder to VS Code, which starts it when it is told to.
 * @param {vscode.ExtensionContext} context
 */
export function activate(context) {
  const server = join(import.meta.dirname, 'server.mjs');
  const definition = new vscode.McpStdioServerDefinition('kitchen', process.execPath, [server]);
  context.subscriptions.push(
    vscode.lm.registerMcpServerDefinitionProvider('kitchen', {
      provideMcpServerDefinitions: () => [definition],
    }),
  );
}
