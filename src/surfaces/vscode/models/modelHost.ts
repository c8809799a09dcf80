import type * as vscode from 'vscode';
import type { ModelHost } from '../../../app/models/modelCatalog.js';
import type * as endpointDialogs from './addEndpoint.js';
import type * as modelsOfEditor from './editorModels.js';
import type { Log } from '../../../core/ports/log.js';
import { editorSettings } from '../settings.js';
import { pickModel } from './modelPicker.js';
import { scriptOptions } from './scriptOptions.js';

/** What is loaded when it is first needed. */
export interface LateModelOptions {
  readonly dialogs: () => Promise<Pick<typeof endpointDialogs, 'addEndpoint' | 'editEndpoint'>>;
  readonly models: () => Promise<Pick<typeof modelsOfEditor, 'editorModels'>>;
}

/** What this window offers: the scripts of its workspace, the models of VS Code, and its dialogs. */
export function modelHost(
  secrets: vscode.SecretStorage,
  log: Log,
  { dialogs, models }: LateModelOptions,
): ModelHost {
  return {
    settings: editorSettings,
    secrets,
    log,
    scripts: () => scriptOptions(log),
    editorModels: async () => (await models()).editorModels(),
    pickModel,
    addEndpoint: async (keys) => (await dialogs()).addEndpoint(keys),
    editEndpoint: async (keys, name) => (await dialogs()).editEndpoint(keys, name),
  };
}
