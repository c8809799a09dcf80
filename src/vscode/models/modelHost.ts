import * as vscode from 'vscode';
import type { ModelOffer } from '../../app/models/modelOffer.js';
import { identityOf, type ModelHost } from '../../app/models/modelShelf.js';
import type { Log } from '../../ports/log.js';
import { editorSettings } from '../settings.js';
import { LmModel } from './lmModel.js';
import { pickModel } from './modelPicker.js';
import { scriptOffers } from './scriptOffers.js';

/** What this window offers: the scripts of its workspace, the models of VS Code, and its dialogs. */
export function modelHost(secrets: vscode.SecretStorage, log: Log): ModelHost {
  return {
    settings: editorSettings,
    secrets,
    log,
    scripts: () => scriptOffers(log),
    editorModels: lmOffers,
    pickModel,
    addEndpoint: async (keys) => (await import('./addEndpoint.js')).addEndpoint(keys),
  };
}

async function lmOffers(): Promise<readonly ModelOffer[]> {
  const chats = await vscode.lm.selectChatModels();
  return chats.map((chat) => {
    const model = new LmModel(chat);
    return { ...identityOf(model), open: () => Promise.resolve(model) };
  });
}
