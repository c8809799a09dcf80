import { readdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { appendAll } from '../../core/lists.js';
import { firstHeader, segmentsIn } from '../read/journalLines.js';
import { entryAt, findFolder } from '../../node/plainFile.js';
import { isEntryName, safeFileName } from '../files/safeFileName.js';
import { names, pathsOf, segmentOf, type ConversationPaths } from '../files/storePaths.js';

/** The folders of all conversations of a store, in no order. */
export async function listConversations(root: string): Promise<ConversationPaths[]> {
  const folder = await findFolder(root, names.conversations);
  if (folder === undefined) return [];
  const entries = await readdir(folder, { withFileTypes: true });
  const found: ConversationPaths[] = [];
  const odd: string[] = [];
  for (const entry of entries) {
    const { name } = entry;
    if (!entry.isDirectory() || !isEntryName(name)) continue;
    if (isNamedById(name)) found.push(pathsOf(root, name, name, folder));
    else odd.push(name);
  }
  const others = odd.map(async (name) => pathsOf(root, await idOfFolder(root, name), name));
  appendAll(found, await Promise.all(others));
  return found;
}

/** The paths of the conversation with an id, whether it exists or not. */
export async function locate(root: string, id: string): Promise<ConversationPaths> {
  const paths = pathsOf(root, id);
  if (paths.name === id || !isEntryName(id)) return paths;
  // A folder that was put there by hand may have a name other than ours for the id.
  if (await findFolder(root, names.conversations, paths.name)) return paths;
  return (await findFolder(root, names.conversations, id)) ? pathsOf(root, id, id) : paths;
}

/** The path of a conversation's first journal file, or of its file of the legacy format; undefined where it has neither. */
export async function journalPathOf(paths: ConversationPaths): Promise<string | undefined> {
  const [segment] = await segmentsIn(paths);
  if (segment !== undefined) return paths.segment(segment);
  const legacy = join(paths.folder, names.legacyJournal);
  return (await entryAt(legacy))?.isFile() ? legacy : undefined;
}

/** The id of the conversation that a file in a store belongs to, if the file is a journal or one of the legacy format. */
export async function conversationOfFile(root: string, path: string): Promise<string | undefined> {
  const folder = dirname(resolve(path));
  const name = basename(folder);
  const isJournal = segmentOf(basename(path)) !== undefined || basename(path) === names.legacyJournal;
  const isInside = dirname(folder) === join(resolve(root), names.conversations) && isEntryName(name);
  return isJournal && isInside ? await idOfFolder(root, name) : undefined;
}

/** Whether a folder has the name of the conversation's id, which need not be looked for in its files then. */
const isNamedById = (name: string): boolean => safeFileName(name) === name;

/** The id of a conversation: the name of its folder, unless the id is not a valid name; then it is in the header. */
export async function idOfFolder(root: string, name: string): Promise<string> {
  if (isNamedById(name)) return name;
  const header = await firstHeader(pathsOf(root, name, name)).catch(() => undefined);
  const id = header?.conversation;
  return id !== undefined && safeFileName(id) === name ? id : name;
}
