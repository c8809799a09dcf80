import * as vscode from 'vscode';
import { messageOf } from '../../../core/text.js';
import type { Log } from '../../../core/ports/log.js';
import type { ModelOption } from '../../../app/models/modelOption.js';
import { scriptOption } from '../../../app/models/scriptOption.js';

/** The script files of a workspace, which its agents use while no model is chosen. */
const SCRIPTS = '{*.script.yaml,*.script.yml,*.script.json,.github/agents/*.script.yaml}';
const MAX_SCRIPTS = 20;

/** The scripts of the workspace, by name; one that cannot be read is logged with its error and place. */
export async function scriptOptions(log: Log): Promise<readonly ModelOption[]> {
  const files = await vscode.workspace.findFiles(SCRIPTS, undefined, MAX_SCRIPTS);
  const offers = await Promise.all(
    files.sort((a, b) => a.path.localeCompare(b.path)).map((file) => optionIn(file, log)),
  );
  return offers.filter((offer) => offer !== undefined);
}

async function optionIn(file: vscode.Uri, log: Log): Promise<ModelOption | undefined> {
  const path = vscode.workspace.asRelativePath(file);
  const text = await vscode.workspace.fs.readFile(file).then(
    (bytes) => new TextDecoder().decode(bytes),
    (error: unknown) => {
      log.error(`${path} could not be read: ${messageOf(error)}`);
      return undefined;
    },
  );
  return text === undefined ? undefined : scriptOption(path, text, log);
}
