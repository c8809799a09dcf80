import * as vscode from 'vscode';
import type { Log } from '../../ports/log.js';
import type { ModelOffer } from './modelOffer.js';

/** Where a workspace keeps what its agents say while no model is chosen. */
const SCRIPTS = '.github/agents/*.script.{yaml,yml,json}';
const AT_MOST = 20;

/** The scripts of the workspace, by name; one that cannot be read is logged with what is wrong and where. */
export async function scriptOffers(log: Log): Promise<readonly ModelOffer[]> {
  const files = await vscode.workspace.findFiles(SCRIPTS, undefined, AT_MOST);
  if (files.length === 0) return [];
  const { readScriptFile } = await import('../../models/scriptFile.js');
  const offers: ModelOffer[] = [];
  for (const uri of files.sort((a, b) => a.path.localeCompare(b.path))) {
    const read = readScriptFile(new TextDecoder().decode(await vscode.workspace.fs.readFile(uri)));
    const source = vscode.workspace.asRelativePath(uri);
    if (!read.ok) {
      for (const { line = 1, message } of read.problems) log.error(`${source}:${line}: ${message}`);
      continue;
    }
    const { script } = read;
    const open = async () => {
      // A script is used up step by step: each run begins it anew.
      const { ScriptedModel } = await import('../../models/scriptedModel.js');
      return new ScriptedModel(script);
    };
    offers.push({
      id: `script/${script.name}`,
      label: `${script.name} (script)`,
      source,
      kind: 'scripted',
      open,
    });
  }
  return offers;
}
