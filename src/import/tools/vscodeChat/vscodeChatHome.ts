import { basename, dirname, join } from 'node:path';
import { sessionInDatabase } from '../../../core/sessionInDatabase.js';
import { ANY, JSON_LINES, roots, userFolders, type ToolHome } from '../home.js';

const JSON_FILES = /\.jsonl?$/;

/** Copilot Chat's databases, that with what was said before those of its traces. */
const DATABASES = [/^session-store\.db$/, /^(?:agent-)?traces\.db$/] as const;

/** How long a session is at most in which nobody was asked anything, in bytes: of longer ones nothing is read. */
const MAX_STUB = 256 * 1024;

/** That somebody was asked something, in a whole session and in a line that changes one. */
const ASKED = /"requests"\s*:\s*\[\s*\{|"k"\s*:\s*\[\s*"requests"/;

/** The first that is no stub: Copilot's log of a chat of which VS Code keeps an empty one is the chat. */
const partsOf: NonNullable<ToolHome['partsOf']> = async (paths, headOf) => {
  const [first = ''] = paths;
  for (const path of paths) if (!(await isStub(path, headOf))) return { path, parts: [path] };
  return { path: first, parts: [first] };
};

/**
 * The chat of VS Code, in the user data of each editor and of its servers. Copilot Chat keeps a log of its own of each chat,
 * which is the only one of some: of others the chat's own file says more. Its databases have some of which both are gone.
 */
export const vscodeChatHome: ToolHome<'vscode-chat'> = {
  id: 'vscode-chat',
  name: 'VS Code Chat',
  places: (machine, folders) =>
    roots(userFolders(machine), folders).flatMap((folder) => [
      {
        folder: join(folder, 'workspaceStorage'),
        names: [ANY, /^chatSessions$/, JSON_FILES],
        workspaceAt: 0,
      },
      {
        folder: join(folder, 'globalStorage'),
        names: [/^(?:emptyWindowChatSessions|transferredChatSessions)$/, JSON_FILES],
        workspaceAt: 0,
      },
      {
        folder: join(folder, 'workspaceStorage'),
        names: [ANY, /^GitHub\.copilot-chat$/i, /^transcripts$/, JSON_LINES],
        workspaceAt: 0,
      },
      ...DATABASES.map((database) => ({
        folder: join(folder, 'globalStorage'),
        names: [/^github\.copilot-chat$/i, database],
        workspaceAt: undefined,
      })),
    ]),
  // In the data of different editors they are different ones.
  sessionOf: (path) =>
    path.replace(/[\\/](?:workspace|global)Storage[\\/].*[\\/]/, ' ').replace(JSON_FILES, ''),
  partsOf,
};

/** Whether a session of VS Code's own is one in which nobody was asked anything. */
async function isStub(
  path: string,
  headOf: (path: string, bytes: number) => Promise<string>,
): Promise<boolean> {
  if (basename(dirname(path)) === 'transcripts' || sessionInDatabase(path)) return false;
  const head = await headOf(path, MAX_STUB);
  return head.length < MAX_STUB && !ASKED.test(head);
}
