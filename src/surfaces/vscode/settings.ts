import * as vscode from 'vscode';
import { settingDefaults, type SettingId } from '../../app/manifest.js';
import type { Settings } from '../../app/ports/settings.js';

const SECTION = 'agentLogbook';

/** The current value of a setting; its default where the user's value has another type. */
export function setting<K extends SettingId>(id: K): (typeof settingDefaults)[K] {
  const fallback = settingDefaults[id];
  const value = vscode.workspace.getConfiguration(SECTION).get<unknown>(id);
  const fits = Array.isArray(fallback) ? Array.isArray(value) : typeof value === typeof fallback;
  return fits ? (value as (typeof settingDefaults)[K]) : fallback;
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
