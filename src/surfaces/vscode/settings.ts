import * as vscode from 'vscode';
import type { settingDefaults, SettingId } from '../../app/manifest.js';
import { settingIn, type Settings } from '../../app/ports/settings.js';

const SECTION = 'agentLogbook';

/** The current value of a setting; its default where the user's value has another type. */
export function setting<K extends SettingId>(id: K): (typeof settingDefaults)[K] {
  const configuration = vscode.workspace.getConfiguration(SECTION);
  return settingIn((key) => configuration.get<unknown>(key), id);
}

/** Changes a user setting. */
export async function changeSetting<K extends SettingId>(
  id: K,
  value: (typeof settingDefaults)[K],
): Promise<void> {
  await vscode.workspace.getConfiguration(SECTION).update(id, value, vscode.ConfigurationTarget.Global);
}

/** The settings of VS Code, as the application reads them. */
export const editorSettings: Settings = { get: setting, change: changeSetting };
