import { basename, dirname, join } from 'node:path';
import { aboveSubagents, sessionsBelow, type Tool } from '../tool.js';
import { cursorChat } from './cursorChat.js';
import { cursorTranscripts } from './cursorTranscripts.js';

/** Cursor: transcripts of agents, each in the folder of its name; chats in its database, see `sessionDatabases.ts`. */
export const cursor: Tool = {
  formats: [cursorTranscripts, cursorChat],
  sidecarFiles(path) {
    const folder = ownFolder(path);
    return folder === undefined ? Promise.resolve([]) : sessionsBelow(join(folder, 'subagents'));
  },
  sessionsOver(path) {
    const folder = aboveSubagents(path);
    return folder === undefined ? [] : [join(folder, `${basename(folder)}.jsonl`)];
  },
  placesBeside: (path) => Promise.resolve(ownFolder(path) === undefined ? [] : undefined),
  folderOf: ownFolder,
};

/** The folder of a transcript where it has its name; undefined where it has another one. */
function ownFolder(path: string): string | undefined {
  const isOwn = path.endsWith('.jsonl') && basename(dirname(path)) === basename(path, '.jsonl');
  return isOwn ? dirname(path) : undefined;
}
