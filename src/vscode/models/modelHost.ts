import * as vscode from 'vscode';
import type { ModelOption } from '../../app/models/modelOption.js';
import { identityOf, type ModelHost } from '../../app/models/modelCatalog.js';
import type * as endpointDialogs from './addEndpoint.js';
import type { Log } from '../../ports/log.js';
import { editorSettings } from '../settings.js';
import { LmModel } from './lmModel.js';
import { pickModel } from './modelPicker.js';
import { scriptOptions } from './scriptOptions.js';

/** What this window offers: the scripts of its workspace, the models of VS Code, and its dialogs, of which `dialogs` loads some. */
export function modelHost(
  secrets: vscode.SecretStorage,
  log: Log,
  dialogs: () => Promise<Pick<typeof endpointDialogs, 'addEndpoint' | 'editEndpoint'>>,
): ModelHost {
  return {
    settings: editorSettings,
    secrets,
    log,
    scripts: () => scriptOptions(log),
    editorModels: lmOptions,
    pickModel,
    addEndpoint: async (keys) => (await dialogs()).addEndpoint(keys),
    editEndpoint: async (keys, name) => (await dialogs()).editEndpoint(keys, name),
  };
}

async function lmOptions(): Promise<readonly ModelOption[]> {
  const chats = await vscode.lm.selectChatModels();
  return chats.map((chat) => {
    const model = new LmModel(chat);
    return { ...identityOf(model), open: () => Promise.resolve(model) };
  });
}
