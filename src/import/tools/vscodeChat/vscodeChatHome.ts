import { join } from 'node:path';
import { ANY, editorFolders, roots, type ToolHome } from '../home.js';

const JSON_FILES = /\.jsonl?$/;

/** The chat of VS Code, in the user data of each editor. */
export const vscodeChatHome: ToolHome<'vscode-chat'> = {
  id: 'vscode-chat',
  name: 'VS Code Chat',
  places: (machine, folders) =>
    roots(editorFolders(machine), folders).flatMap((folder) => [
      {
        folder: join(folder, 'workspaceStorage'),
        names: [ANY, /^chatSessions$/, JSON_FILES],
        workspaceAt: 0,
      },
      {
        folder: join(folder, 'globalStorage'),
        names: [/^emptyWindowChatSessions$/, JSON_FILES],
        workspaceAt: 0,
      },
    ]),
};
