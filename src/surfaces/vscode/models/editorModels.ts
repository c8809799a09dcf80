import * as vscode from 'vscode';
import { identityOf } from '../../../app/models/modelCatalog.js';
import type { ModelOption } from '../../../app/models/endpointOptions.js';
import { LmModel } from './lmModel.js';

/** The models that VS Code offers to extensions: Copilot's, and those that other extensions bring. */
export async function editorModels(): Promise<readonly ModelOption[]> {
  const chats = await vscode.lm.selectChatModels();
  return chats.map((chat) => {
    const model = new LmModel(chat);
    return { ...identityOf(model), open: () => Promise.resolve(model) };
  });
}
