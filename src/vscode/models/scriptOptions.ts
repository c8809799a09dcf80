import * as vscode from 'vscode';
import { messageOf } from '../../core/text.js';
import type { Log } from '../../ports/log.js';
import type { ModelOption } from '../../app/models/modelOption.js';
import { features } from '../../app/features/features.js';

/** The script files of a workspace, which its agents use while no model is chosen. */
const SCRIPTS = '{*.script.yaml,*.script.yml,*.script.json,.github/agents/*.script.yaml}';
const MAX_SCRIPTS = 20;

/** The scripts of the workspace, by name; one that cannot be read is logged with its error and place. */
export async function scriptOptions(log: Log): Promise<readonly ModelOption[]> {
  const files = await vscode.workspace.findFiles(SCRIPTS, undefined, MAX_SCRIPTS);
  const offers = await Promise.all(
    files.sort((a, b) => a.path.localeCompare(b.path)).map((file) => scriptOption(file, log)),
  );
  return offers.filter((offer) => offer !== undefined);
}

async function scriptOption(file: vscode.Uri, log: Log): Promise<ModelOption | undefined> {
  const { parseScript } = await features.run();
  const path = vscode.workspace.asRelativePath(file);
  const name = path.replace(/^.*\/|\.script\.\w+$/g, '');
  const text = await vscode.workspace.fs.readFile(file).then(
    (bytes) => new TextDecoder().decode(bytes),
    (error: unknown) => {
      log.error(`${path} could not be read: ${messageOf(error)}`);
      return undefined;
    },
  );
  if (text === undefined) return undefined;
  const { script, problems } = parseScript(text, name);
  for (const { severity, message, line = 1 } of problems) {
    if (severity === 'error') log.error(`${path}:${line}: ${message}`);
    else log.warn(`${path}:${line}: ${message}`);
  }
  if (!script) return undefined;
  const id = `script/${script.name}`;
  return {
    id,
    label: `${script.name} (script)`,
    endpoint: 'script',
    kind: 'scripted',
    detail: path,
    open: async (begun) => {
      const before = begun?.get(id);
      if (before?.source === text) return before.model;
      const { ScriptedModel } = await features.run();
      const model = new ScriptedModel(script);
      begun?.set(id, { source: text, model });
      return model;
    },
  };
}
