import * as vscode from 'vscode';

/** Runs with settings of the user, and puts back what was there. */
export async function withSettings(
  settings: Readonly<Record<string, unknown>>,
  run: () => Promise<void>,
): Promise<void> {
  const set = async (id: string, value: unknown) =>
    vscode.workspace.getConfiguration('agentLogbook').update(id, value, vscode.ConfigurationTarget.Global);
  for (const [id, value] of Object.entries(settings)) await set(id, value);
  try {
    await run();
  } finally {
    for (const id of Object.keys(settings)) await set(id, undefined);
  }
}
