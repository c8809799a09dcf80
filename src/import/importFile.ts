import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { ImportResult } from './importResult.js';
import { importTranscript, type ImportOptions, type SidecarSource } from './importTranscript.js';

/** The tables that OpenCode keeps beside its `messages.json`. */
const OPEN_CODE_TABLES = ['parts.json', 'sessions.json'];

/** How many files of subagents are read with a session. */
const MAX_SIDECARS = 1000;

/**
 * Reads a transcript from disk, with the files beside it that belong to it unless `alone`. Rejects only where the file
 * itself cannot be opened or read.
 */
export async function importFile(
  path: string,
  options: ImportOptions & { readonly alone?: boolean } = {},
): Promise<ImportResult> {
  const { alone = false, ...rest } = options;
  const sidecars = alone ? [] : await findSidecars(path);
  return importTranscript(createReadStream(path), basename(path), { sidecars, ...rest });
}

/** The files that belong to a transcript: the sessions of Claude Code's subagents, the tables beside OpenCode's. */
export async function findSidecars(path: string): Promise<SidecarSource[]> {
  if (basename(path) === 'messages.json') {
    const tables = await Promise.all(OPEN_CODE_TABLES.map((name) => sidecar(dirname(path), name)));
    return tables.filter((found) => found !== undefined);
  }
  if (!path.endsWith('.jsonl')) return [];
  const folder = path.slice(0, -'.jsonl'.length);
  const names = (await filesBelow(join(folder, 'subagents'))).sort().slice(0, MAX_SIDECARS);
  return names.map((name) => ({
    name: `subagents/${name}`,
    source: createReadStream(join(folder, 'subagents', name)),
  }));
}

async function sidecar(folder: string, name: string): Promise<SidecarSource | undefined> {
  const path = join(folder, name);
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() ? { name, source: createReadStream(path) } : undefined;
}

/** Regular files below a folder, relative to it, with `/`; none where there is no such folder. */
async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() && /\.(?:jsonl|meta\.json)$/.test(entry.name))
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    );
}
