import { isAbsolute } from 'node:path';
import * as vscode from 'vscode';
import { isObject } from '../core/message.js';

/** VS Code's own setting for further folders of agent files: an object of paths and whether each counts. */
export const AGENT_LOCATIONS = 'chat.agentFilesLocations';

/**
 * The further folders in which VS Code looks for agent files, as they are written. What a workspace says of places that
 * are not its own is not heard.
 */
export function agentLocations(): readonly string[] {
  const told = vscode.workspace.getConfiguration().inspect<unknown>(AGENT_LOCATIONS);
  const ofWorkspace = [told?.workspaceValue, told?.workspaceFolderValue].flatMap(pathsOf);
  return [...new Set([...pathsOf(told?.globalValue), ...ofWorkspace.filter(isOwn)])];
}

function pathsOf(value: unknown): string[] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([path, counts]) => (counts === true && path !== '' ? [path] : []));
}

const isOwn = (path: string): boolean => !isAbsolute(path) && !path.startsWith('~');
