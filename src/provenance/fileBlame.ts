import { posix, win32 } from 'node:path';
import { linesOf } from './fileChange.js';
import type { Repository } from './git.js';
import type { RecordedEdit } from './recordedEdits.js';
import { NOBODY, Replay, type CommittedVersion, type PlacedEdit } from './replay.js';

/** Where a file is, and what is asked of it. */
export interface BlameRequest<Edit extends RecordedEdit> {
  /** Absolute, as the system names it. */
  readonly file: string;
  /** What stands in it now, as in an editor that was not saved. */
  readonly text: string;
  /** Around the file; undefined where there is none, or where git must not be asked. */
  readonly repository: Repository | undefined;
  /** The edits of files of this name, of each session in their order; see `nameOf`. */
  readonly edits: readonly Edit[];
}

/** Who wrote the lines of a file. */
export interface FileBlame<Edit extends RecordedEdit> {
  /** For each line the edit that wrote it; undefined where that cannot be proved. */
  readonly lines: readonly (Edit | undefined)[];
  /** How many edits of this file there are, and how many versions git has of it. */
  readonly edits: number;
  readonly versions: number;
}

/** The last part of a path, whichever system wrote it, by which edits are found; without the case of letters. */
export function nameOf(path: string): string {
  return (path.split(/[/\\]/).at(-1) ?? '').normalize('NFC').toLowerCase();
}

/** A file as its history knows it, before it is known who wrote it. */
export interface FileHistory {
  readonly versions: readonly CommittedVersion[];
  /** The paths that it had, as git names them; without git its own. */
  readonly paths: readonly string[];
  readonly worktrees: readonly string[];
}

/** What git knows of a file. */
export async function historyOf(
  file: string,
  repository: Repository | undefined,
  signal?: AbortSignal,
): Promise<FileHistory> {
  const path = repository?.pathOf(file);
  if (!repository || path === undefined) return { versions: [], paths: [], worktrees: [] };
  const [found, worktrees] = await Promise.all([
    repository.versions(path, signal),
    repository.worktrees(signal),
  ]);
  const texts = await repository.contents(
    found.flatMap(({ blob }) => blob ?? []),
    signal,
  );
  const versions = found.flatMap(({ commit, time, blob }) => {
    const text = blob === undefined ? '' : texts.get(blob);
    return text === undefined ? [] : [{ commit, time, lines: linesOf(text) }];
  });
  return { versions, paths: [...new Set([path, ...found.map((version) => version.path)])], worktrees };
}

/** Says who wrote the lines of a file, from the edits of sessions and what is known of its history. */
export function blameFile<Edit extends RecordedEdit>(
  { file, text, repository, edits }: BlameRequest<Edit>,
  { versions, paths, worktrees }: FileHistory,
): FileBlame<Edit> {
  const root = repository?.root;
  const place = placer(file, root, paths, worktrees);
  const placed: (PlacedEdit & { readonly edit: Edit })[] = [];
  for (const edit of edits) {
    const at = place(edit);
    if (at) placed.push({ edit, ...at });
  }
  const lines = linesOf(text);
  const by = new Replay(placed, versions).blame(lines);
  return {
    lines: by.map((author) => (author === NOBODY ? undefined : placed[author - 1]?.edit)),
    edits: placed.filter(({ edit }) => edit.change.kind !== 'seen').length,
    versions: versions.length,
  };
}

/** Says whether an edit is one of a file, and in which folder the file lies by it. */
function placer(
  file: string,
  root: string | undefined,
  paths: readonly string[],
  worktrees: readonly string[],
) {
  const own = slashed(file);
  const inRoot = (folder: string) => paths.map((path) => `${slashed(folder)}/${path}`);
  const here = new Set([own, ...(root === undefined ? [] : inRoot(root))]);
  const beside = new Map(
    worktrees.flatMap((tree) => inRoot(tree).map((path) => [path, slashed(tree)] as const)),
  );
  const ends = (paths.length > 0 ? paths : [own.split('/').at(-1) ?? '']).map((path) => `/${path}`);
  return ({ path, folder }: RecordedEdit): Omit<PlacedEdit, 'edit'> | undefined => {
    const told = slashed(whole(path, folder));
    if (here.has(told)) return { tree: '' };
    // Of a path whose beginning nobody tells, it is not known which file it is.
    const end = ends.find((one) => told.endsWith(one) || `/${told}` === one);
    const tree = beside.get(told);
    if (tree !== undefined) return { tree };
    return end === undefined ? undefined : { tree: `${told.slice(0, -end.length)}/`, isElsewhere: true };
  };
}

/** A path from the beginning, by the system that wrote it. */
function whole(path: string, folder: string | undefined): string {
  const plain = path.replace(/^file:\/\//, '');
  const system = /^[a-z]:|\\/i.test(`${plain}${folder ?? ''}`) ? win32 : posix;
  return system.isAbsolute(plain) || folder === undefined
    ? system.normalize(plain)
    : system.resolve(folder, plain);
}

function slashed(path: string): string {
  const plain = path.replaceAll('\\', '/').normalize('NFC').replace(/\/$/, '');
  return /^[a-z]:/i.test(plain) ? `${plain.slice(0, 2).toLowerCase()}${plain.slice(2)}` : plain;
}
