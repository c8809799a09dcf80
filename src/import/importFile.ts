import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
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
  const paths = alone ? [] : await sidecarPaths(path);
  const sidecars = paths.map((each): SidecarSource => ({
    name: relative(folderOf(path), each).replaceAll('\\', '/'),
    source: bytesOf(each),
  }));
  return importTranscript(bytesOf(path), basename(path), { sidecars, ...rest });
}

/** The files that belong to a transcript: the sessions of Claude Code's subagents, the tables beside OpenCode's. */
export async function sidecarPaths(path: string): Promise<string[]> {
  if (basename(path) === 'messages.json') {
    const tables = OPEN_CODE_TABLES.map((name) => join(dirname(path), name));
    const found = await Promise.all(tables.map((table) => stat(table).catch(() => undefined)));
    return tables.filter((_table, index) => found[index]?.isFile());
  }
  if (!path.endsWith('.jsonl')) return [];
  const folder = join(folderOf(path), 'subagents');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const sessions = entries.filter((entry) => entry.isFile() && /\.(?:jsonl|meta\.json)$/.test(entry.name));
  const paths = sessions.map((entry) => join(entry.parentPath, entry.name));
  return paths.sort().slice(0, MAX_SIDECARS);
}

/** The folder that a transcript's sidecars are named from: beside tables, named like a session. */
function folderOf(path: string): string {
  return path.endsWith('.jsonl') ? path.slice(0, -'.jsonl'.length) : dirname(path);
}

/** Opens a file when its bytes are asked for, and no earlier, because there may be many. */
async function* bytesOf(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path) as AsyncIterable<Uint8Array>;
}
