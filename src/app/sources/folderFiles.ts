import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { SessionFinder } from '../../capture/discovery/sessionFinder.js';
import { t } from '../../core/l10n.js';
import { messageOf } from '../../core/text.js';
import { TOOL_IDS } from '../../import/toolHomes.js';

/** The most files that a folder stands for. */
const MAX_FILES = 50_000;
/** How many folders may lie in each other. */
const MAX_DEPTH = 32;

/** Files that may hold transcripts, by their names; whether they do, reading them tells. */
const MAYBE =
  /\.(?:jsonl?|ndjson|eval|chat)(?:\.(?:zst|gz))?$|\.zip$|\.vscdb$|^(?:opencode[\w.-]*|sessions|threads|crush|state|session-store|(?:agent-)?traces)\.db$|^data\.sqlite3$/i;

/** The files in a folder that may hold transcripts, and what was not looked at, in words. */
export interface FolderFiles {
  readonly paths: readonly string[];
  readonly problems: readonly string[];
}

/**
 * The sessions of known tools where these keep them below a folder, as in a person's home or a copy of one; without any, all
 * files in it and below that may hold transcripts by their names. Hidden folders and links are left alone.
 */
export async function transcriptsIn(folder: string): Promise<FolderFiles> {
  const finder = new SessionFinder({ home: folder, platform: process.platform, env: {} });
  const changes = await finder.changes(TOOL_IDS.map((id) => ({ id, folders: [] })));
  const ofTools = changes.flatMap(({ written }) => written.map(({ path }) => path));
  if (ofTools.length > 0)
    return { paths: [...new Set(ofTools)].sort(), problems: changes.flatMap(({ problems }) => problems) };
  const found = { paths: [] as string[], problems: [] as string[] };
  await filesBelow(folder, found, 0);
  return { ...found, paths: found.paths.sort() };
}

async function filesBelow(
  folder: string,
  found: { readonly paths: string[]; readonly problems: string[] },
  depth: number,
): Promise<void> {
  try {
    for await (const entry of await opendir(folder)) {
      const path = join(folder, entry.name);
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
      if (entry.isDirectory() && depth < MAX_DEPTH) await filesBelow(path, found, depth + 1);
      if (!entry.isFile() || !MAYBE.test(entry.name)) continue;
      if (found.paths.length === MAX_FILES) {
        found.problems.push(t`${folder} holds more than ${MAX_FILES} files; the others are not looked at.`);
        return;
      }
      found.paths.push(path);
    }
  } catch (error) {
    found.problems.push(t`${folder} cannot be looked at: ${messageOf(error)}`);
  }
}
