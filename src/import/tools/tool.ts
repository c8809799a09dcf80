import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { TranscriptFormat } from '../building/transcriptFormat.js';
import { beginningOf, entryNow } from '../../node/plainFile.js';
import { beginningOfZstd } from '../reading/zstd.js';
import type { CachedValues } from '../databases/cachedValues.js';
import type { SessionValues } from '../databases/toolDatabase.js';

/** How many files beside a session are read with it at most. */
export const MAX_SIDECARS = 1000;

/**
 * A tool whose sessions are read: a row of the table of tools (`src/import/tools.ts`). A tool of one format and nothing beside its
 * files is that format.
 */
export interface Tool {
  /** What its files are read with, the most specific first. */
  readonly formats: readonly TranscriptFormat[];
  /** Those that are made of plain texts, which are asked before all others. */
  readonly texts?: readonly TranscriptFormat[];
  /** Those of what it logs by OpenTelemetry, which are asked before all other spans and logs. */
  readonly telemetry?: readonly TranscriptFormat[];
  /** Files that only this tool can have written, by their names: no other is asked what stands beside them. */
  readonly owned?: {
    is(path: string): boolean;
    /** The files beside one. What `parents` know is not read again. */
    sidecarFiles(path: string, parents?: KnownParents): Promise<SidecarPaths>;
  };
  /** The files, absolute, that belong to a file that no tool owns by its name; none beside one that cannot be this tool's. */
  readonly sidecarFiles?: (path: string) => Promise<readonly string[]>;
  /** Files, absolute, that are looked at to understand one that no tool owns, and belong to themselves. */
  readonly filesLookedAt?: (path: string) => Promise<readonly string[]>;
  /**
   * The places on the disk, besides a file of lines and the files beside it, whose change may change which files are read or looked
   * at with it; undefined where that cannot be told. A tool that looks beside such files and has none tells it of none.
   */
  readonly placesBeside?: (path: string, parents?: KnownParents) => Promise<readonly string[] | undefined>;
  /** Files, there or not, of which one may be the session that the file at a path is a part of, as a subagent's is. */
  readonly sessionsOver?: (path: string) => readonly string[] | Promise<readonly string[]>;
  /** The folder in which the names of the files beside a file of lines begin; undefined where it is not this tool's. */
  readonly folderOf?: (path: string) => string | undefined;
  /** The session that stands in many files of which a path names one, put together; undefined for any other path. */
  readonly valuesAt?: (path: string, kept?: () => CachedValues) => Promise<SessionValues | undefined>;
}

/** The files that belong to a transcript. */
export interface SidecarPaths {
  readonly paths: readonly string[];
  /** How many more there may be, which were not examined. */
  readonly left: number;
}

/** What the files in a folder say of who started them, so that it is read once. */
export class KnownParents {
  /** By their paths; undefined where none did. */
  readonly of = new Map<string, string | undefined>();
  /** What the first lines of those say of files before and behind them that are whole, by their paths: these never change. */
  readonly beginnings = new Map<
    string,
    { readonly isContinued: boolean; readonly base: string | undefined }
  >();
  /** The paths of those that do not say it yet. */
  readonly open = new Set<string>();

  know(path: string, parent: string | undefined): void {
    this.of.set(path, parent);
    this.open.delete(path);
  }
}

/** As many files as are read with a session. */
export function atMost(paths: readonly string[]): SidecarPaths {
  return { paths: paths.slice(0, MAX_SIDECARS), left: Math.max(0, paths.length - MAX_SIDECARS) };
}

/** Those of some paths at which files stand; links are none. */
export function existing(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => entryNow(path)?.isFile());
}

/** What is in a folder and, where it is asked for, below; nothing where there is none. */
export async function entriesIn(folder: string, recursive = false): Promise<readonly Dirent[]> {
  // Most sessions have no such folder, and to ask another thread to list it takes longer than to see that.
  if (!entryNow(folder)) return [];
  return await readdir(folder, { recursive, withFileTypes: true }).catch(() => []);
}

/** The sessions in a folder and below, and what stands about them beside; none where there is no folder. */
export async function sessionsBelow(folder: string): Promise<readonly string[]> {
  const entries = await entriesIn(folder, true);
  const sessions = entries.filter((entry) => entry.isFile() && /\.(?:jsonl|meta\.json)$/.test(entry.name));
  return sessions.map((entry) => join(entry.parentPath, entry.name)).sort();
}

/** The first bytes of a file as text, of one that Zstandard packed as far as as many bytes of it tell; '' where it cannot be read: importing it reports why. */
export function headOf(path: string, bytes: number): string {
  const read = beginningOf(path, bytes);
  if (!read || !path.endsWith('.zst')) return read?.toString('utf8') ?? '';
  try {
    return Buffer.from(beginningOfZstd(read, bytes).bytes).toString('utf8');
  } catch {
    return '';
  }
}

/** The folder in which the folder `subagents` lies that a path is below; undefined where it is below none. */
export function aboveSubagents(path: string): string | undefined {
  return /^(.*)[\\/]subagents[\\/]/.exec(path)?.[1];
}

/** How long a folder must have been left alone before its time tells that it holds what it held, in milliseconds. */
const SETTLED_MS = 3_000;

/** How many folders are remembered at most. */
const MAX_FOLDERS = 5_000;

interface Names {
  readonly changed: number;
  readonly readAt: number;
  readonly names: readonly string[];
}

/** What folders held when they were read last: for every session in one the same ones are looked through. */
const remembered = new Map<string, Names>();

/** The names in a folder; none where there is no such folder: whoever reads a file in it reports why. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  const about = await stat(folder).catch(() => undefined);
  if (!about?.isDirectory()) return [];
  const known = remembered.get(folder);
  if (known?.changed === about.mtimeMs && known.readAt - about.mtimeMs > SETTLED_MS) return known.names;
  const readAt = Date.now();
  const names = await readdir(folder).catch(() => []);
  if (remembered.size >= MAX_FOLDERS) remembered.clear();
  remembered.set(folder, { changed: about.mtimeMs, readAt, names });
  return names;
}
