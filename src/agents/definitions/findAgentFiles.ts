import { constants } from 'node:fs';
import { open, readdir, realpath } from 'node:fs/promises';
import { join, relative, isAbsolute } from 'node:path';
import type { AgentFile, AgentOrigin } from '../../core/agent.js';
import { messageOf } from '../../core/text.js';
import { readAgentFile } from './readAgentFile.js';

/** The largest agent file that is read, in bytes; real ones have a few thousand. */
export const MAX_AGENT_FILE_BYTES = 256 * 1024;
const MAX_FILES_PER_FOLDER = 500;

/** A folder that may hold agent files. */
export interface AgentFolder {
  readonly path: string;
  readonly origin: AgentOrigin;
  /** Files whose real path lies outside of this folder are refused; absent: links may lead anywhere. */
  readonly within?: string;
  readonly isAgent: (file: string) => boolean;
}

/** Any Markdown file but those that VS Code knows as something else. */
const isMarkdown = (file: string) =>
  /\.md$/i.test(file) && !/(?:^readme|\.prompt|\.instructions)\.md$/i.test(file);
/** What may lie anywhere, so that the rules about files that decide rights know it by its name. */
const isAgentByName = (file: string) => /\.(?:agent|chatmode)\.md$/i.test(file);
const isChatMode = (file: string) => /\.chatmode\.md$/i.test(file);

/**
 * Reads all agent files of the workspace folders and of the user, and the `.agent.md` files of further `locations`: paths
 * from each workspace folder, from the home (`~/…`) or absolute. A missing folder has none; a file that cannot be read is
 * listed with the reason. Never rejects.
 */
export async function findAgentFiles(
  workspaceFolders: readonly string[],
  userHome: string | undefined,
  locations: readonly string[] = [],
): Promise<AgentFile[]> {
  const found = await Promise.all(agentFolders(workspaceFolders, userHome, locations).map(readFolder));
  const seen = new Set<string>();
  return found.flat().filter(({ path }) => !seen.has(path) && seen.add(path));
}

/** The folders that `findAgentFiles` reads, whether they are there or not, a workspace's before the user's. */
export function agentFolders(
  workspaceFolders: readonly string[],
  userHome: string | undefined,
  locations: readonly string[] = [],
): readonly AgentFolder[] {
  const further = locations.flatMap((location) => foldersOfLocation(location, workspaceFolders, userHome));
  const workspace = [...workspaceFolders.flatMap(foldersOfWorkspace), ...further.filter(isOfWorkspace)];
  const user = [...foldersOfUser(userHome), ...further.filter((folder) => !isOfWorkspace(folder))];
  return [...workspace, ...user];
}

function foldersOfWorkspace(root: string): AgentFolder[] {
  const folder = (path: string, isAgent: AgentFolder['isAgent']): AgentFolder => ({
    path: join(root, path),
    origin: 'workspace',
    within: root,
    isAgent,
  });
  return [
    folder('.github/agents', isMarkdown),
    folder('.claude/agents', isMarkdown),
    folder('.github/chatmodes', isChatMode),
  ];
}

function foldersOfUser(home: string | undefined): AgentFolder[] {
  if (home === undefined) return [];
  return ['.copilot/agents', '.claude/agents'].map((path) => ({
    path: join(home, path),
    origin: 'user',
    isAgent: isMarkdown,
  }));
}

const isOfWorkspace = ({ origin }: AgentFolder) => origin === 'workspace';

function foldersOfLocation(
  location: string,
  roots: readonly string[],
  home: string | undefined,
): AgentFolder[] {
  const ofUser = (path: string): AgentFolder => ({ path, origin: 'user', isAgent: isAgentByName });
  if (/^~[\\/]/.test(location)) return home === undefined ? [] : [ofUser(join(home, location.slice(2)))];
  if (isAbsolute(location)) return [ofUser(join(location))];
  return roots.map((root) => ({
    path: join(root, location),
    origin: 'workspace',
    within: root,
    isAgent: isAgentByName,
  }));
}

async function readFolder(folder: AgentFolder): Promise<AgentFile[]> {
  try {
    const names = (await readdir(folder.path)).filter(folder.isAgent).sort();
    const files = await Promise.all(
      names.slice(0, MAX_FILES_PER_FOLDER).map((name) => readFile(folder, name)),
    );
    if (names.length <= MAX_FILES_PER_FOLDER) return files;
    const left = names.length - MAX_FILES_PER_FOLDER;
    return [...files, unreadable(folder, folder.path, `${left} more files of this folder were not read.`)];
  } catch (error) {
    if (isMissing(error)) return [];
    return [unreadable(folder, folder.path, `The folder cannot be read: ${messageOf(error)}`)];
  }
}

async function readFile(folder: AgentFolder, name: string): Promise<AgentFile> {
  const path = join(folder.path, name);
  try {
    const real = await realpath(path);
    if (folder.within !== undefined && !isWithin(await realpath(folder.within), real)) {
      return unreadable(folder, path, 'The file is a link that leads out of the workspace; it is not read.');
    }
    const handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stat = await handle.stat();
      if (!stat.isFile()) return unreadable(folder, path, 'This is not a file.');
      if (stat.size > MAX_AGENT_FILE_BYTES) {
        const limit = `${MAX_AGENT_FILE_BYTES / 1024} KiB`;
        return unreadable(folder, path, `The file has ${stat.size} bytes; more than ${limit} are not read.`);
      }
      const bytes = Buffer.alloc(stat.size);
      const { bytesRead } = await handle.read(bytes, 0, stat.size, 0);
      return readAgentFile(path, new TextDecoder().decode(bytes.subarray(0, bytesRead)), folder.origin);
    } finally {
      await handle.close();
    }
  } catch (error) {
    return unreadable(folder, path, `The file cannot be read: ${messageOf(error)}`);
  }
}

function unreadable(folder: AgentFolder, path: string, message: string): AgentFile {
  return { path, origin: folder.origin, problems: [{ severity: 'error', message }] };
}

function isMissing(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !/^\.\.[\\/]/.test(way) && !isAbsolute(way);
}
