import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { SidecarPaths, Tool } from '../tool.js';
import { valuesInFolder } from './openCodeFolder.js';
import { openCodeSessions, sessionsOfMembers } from './openCodeSessions.js';

/** The tables beside `messages.json`. */
const TABLES = ['parts.json', 'sessions.json'];

/** OpenCode and the tools that were made of it: exports, tables of messages, and sessions in a folder of files; those in databases, see `sessionDatabases.ts`. */
export const openCode: Tool = {
  formats: [...sessionsOfMembers, openCodeSessions],
  owned: { is: (path) => basename(path) === 'messages.json', sidecarFiles: tableSidecars },
  valuesAt: valuesInFolder,
};

async function tableSidecars(path: string): Promise<SidecarPaths> {
  const tables = TABLES.map((name) => join(dirname(path), name));
  const found = await Promise.all(tables.map((table) => stat(table).catch(() => undefined)));
  return { paths: tables.filter((_table, index) => found[index]?.isFile()), left: 0 };
}
