import * as vscode from 'vscode';
import type { ModelOption } from '../../app/models/modelOption.js';
import { identityOf, type ModelHost } from '../../app/models/modelCatalog.js';
import { addEndpoint, editEndpoint } from './addEndpoint.js';
import type { Log } from '../../ports/log.js';
import { editorSettings } from '../settings.js';
import { LmModel } from './lmModel.js';
import { pickModel } from './modelPicker.js';
import { scriptOptions } from './scriptOptions.js';

/** What this window offers: the scripts of its workspace, the models of VS Code, and its dialogs. */
export function modelHost(secrets: vscode.SecretStorage, log: Log): ModelHost {
  return {
    settings: editorSettings,
    secrets,
    log,
    scripts: () => scriptOptions(log),
    editorModels: lmOptions,
    pickModel,
    addEndpoint,
    editEndpoint,
  };
}

async function lmOptions(): Promise<readonly ModelOption[]> {
  const chats = await vscode.lm.selectChatModels();
  return chats.map((chat) => {
    const model = new LmModel(chat);
    return { ...identityOf(model), open: () => Promise.resolve(model) };
  });
}
