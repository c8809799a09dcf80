import { join, posix, win32 } from 'node:path';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { readGitAiNote, type AuthorClaim, type LineClaims, type TracedFile } from './authorship.js';
import { linesOf } from './recordedEdits.js';
import { MAX_VERSIONS, type FileVersion, type Repository } from './git.js';
import type { RecordedEdit } from './recordedEdits.js';
import {
  carry,
  isTelling,
  linesThatTell,
  NEW,
  NOBODY,
  Replay,
  type CommittedVersion,
  type PlacedEdit,
} from './replay.js';

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
  /** The same of lines of which no session proves it, where another program tells it. */
  readonly told: readonly (AuthorClaim | undefined)[];
  /** How many edits of this file there are, and how many versions git has of it. */
  readonly edits: number;
  readonly versions: number;
  /** Whether versions are missing: older ones than the newest 500, or such as git could not tell. */
  readonly isCut?: true;
  readonly isIncomplete?: true;
  /** By commits, the lines that have no author there, by their places from 0. */
  open(): ReadonlyMap<string, ReadonlySet<number>>;
  /** What each version of git brought, the oldest first. */
  brought(): readonly BroughtLines<Edit>[];
}

/** The authors of those lines of a version that are surely not in the one before. */
export interface BroughtLines<Edit extends RecordedEdit> {
  readonly commit: string;
  readonly path: string;
  readonly lines: readonly (Edit | undefined)[];
  readonly told: readonly (AuthorClaim | undefined)[];
}

/** The last part of a path, whichever system wrote it, by which edits are found; without the case of letters. */
export function nameOf(path: string): string {
  return (path.split(/[/\\]/).at(-1) ?? '').normalize('NFC').toLowerCase();
}

/** A version of a file that git has, with what other programs tell of its lines. */
export interface HistoryVersion extends Omit<CommittedVersion, 'told'> {
  readonly path: string;
  /** By the numbers of the lines, from 1. */
  readonly told?: LineClaims;
}

/** What a commit did to a path: made between when it was authored and committed, to this file or to another. */
interface PathUse extends Pick<FileVersion, 'time' | 'authored'> {
  readonly isOwn: boolean;
}

/** A file as its history knows it, before it is known who wrote it. */
export interface FileHistory {
  readonly versions: readonly HistoryVersion[];
  /** The paths that it had, as git names them; without git its own. */
  readonly paths: readonly string[];
  /** Of a path that another file had as well, the commits that did something to either, the oldest first. */
  readonly shared?: ReadonlyMap<string, readonly PathUse[]>;
  readonly worktrees: readonly string[];
  /** The commit until which it is known; undefined where git knows none. */
  readonly tip?: string;
  /** Whether git failed, or has not all versions here. */
  readonly isIncomplete?: true;
  /** Whether there may be older versions, which are not looked at. */
  readonly isCut?: true;
}

/** What is kept of a repository for the next time, each thing under a name. Neither method rejects. */
export interface HistoryCache {
  load(name: string): Promise<Buffer | undefined>;
  save(name: string, part: Buffer): Promise<void>;
}

/** How a history is asked for. */
export interface HistoryOptions {
  /** The commit until which it is meant; that which is checked out, where none is given. */
  readonly tip?: string | undefined;
  readonly keeps?: HistoryCache | undefined;
  /** What records of Agent Trace say. */
  readonly traces?: readonly TracedFile[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What is kept of a file's history: nothing of it changes as long as the commit is the same, and no object ever does. */
interface CachedHistory {
  readonly tip: string;
  readonly versions: readonly FileVersion[];
  readonly texts: readonly (readonly [blob: string, text: string])[];
}

const SECOND = 1_000;

/** More texts of a history are not kept, in UTF-16 code units. */
const MAX_KEPT = 16_000_000;

/** What git knows of a file. Rejects with GitFailed where it cannot tell what it is asked. */
export async function historyOf(
  file: string,
  repository: Repository | undefined,
  options: HistoryOptions = {},
): Promise<FileHistory> {
  const path = repository?.pathOf(file);
  if (!repository || path === undefined) return { versions: [], paths: [], worktrees: [] };
  const history = await followed(path, repository, options);
  const { tip, paths, versions } = history;
  if (tip === undefined || paths.length < 2) return history;
  // A path that the file had may be that of another one before or after.
  const uses = await usesOf(paths, tip, repository, options);
  if (!uses) return { ...history, isIncomplete: true };
  const named = new Map(versions.map((version, at) => [version.commit, { at, path: version.path }]));
  /** Whether a commit did it to this file: a path that the file had before is left by it, or is another one's from then on. */
  const isOf = ({ commit, path: at, blob }: FileVersion) => {
    const own = named.get(commit);
    return own && (own.path === at || (blob === undefined && versions[own.at - 1]?.path === at));
  };
  const shared = new Map<string, PathUse[]>();
  for (const each of paths) {
    let time = 0;
    const all = uses
      .filter((use) => use.path === each)
      .map((use) => ({
        time: (time = Math.max(time, use.time)),
        authored: use.authored,
        isOwn: isOf(use) === true,
      }));
    if (all.some(({ isOwn }) => !isOwn)) shared.set(each, all);
  }
  return { ...history, ...(shared.size > 0 && { shared }) };
}

/** What became of paths, which is kept as well. */
async function usesOf(
  paths: readonly string[],
  tip: string,
  repository: Repository,
  { keeps, signal }: HistoryOptions,
): Promise<readonly FileVersion[] | undefined> {
  const name = `became:${paths.join('\0')}`;
  const bytes = await keeps?.load(name);
  const kept = bytes && (JSON.parse(bytes.toString()) as Pick<CachedHistory, 'tip' | 'versions'>);
  if (kept?.tip === tip) return kept.versions;
  const versions = await repository.uses(paths, tip, signal);
  if (versions) await keeps?.save(name, Buffer.from(JSON.stringify({ tip, versions })));
  return versions;
}

async function followed(
  path: string,
  repository: Repository,
  { tip: wanted, keeps, traces = [], signal }: HistoryOptions,
): Promise<FileHistory> {
  const [tip, worktrees, hasNotes, kept] = await Promise.all([
    wanted ?? repository.commit('HEAD', signal),
    repository.worktrees(signal),
    repository.hasNotes(signal),
    keptHistory(keeps, path),
  ]);
  if (tip === undefined) return { versions: [], paths: [path], worktrees };
  const found = kept?.tip === tip ? kept.versions : await repository.versions(path, tip, signal);
  // Of what failed once nothing is kept: it may be told the next time.
  if (!found) return { versions: [], paths: [path], worktrees, tip, isIncomplete: true };
  // What the commit does not have, whoever had that name before, may be called otherwise in it.
  const before =
    found.at(-1)?.blob === undefined && wanted === undefined
      ? (await repository.renamedSince(tip, signal)).get(path)
      : undefined;
  if (before !== undefined) {
    const older = await followed(before, repository, { tip, keeps, traces, signal });
    return { ...older, paths: [...new Set([path, ...older.paths])] };
  }
  const known = new Map(kept?.texts);
  const missing = found.flatMap(({ blob }) => (blob === undefined || known.has(blob) ? [] : [blob]));
  const read = await repository.contents(missing, signal);
  const texts = new Map(known);
  for (const [blob, text] of read) if (text !== undefined) texts.set(blob, text);
  if (kept?.tip !== tip || missing.length > 0)
    await keepHistory(keeps, path, { tip, versions: found, texts });
  const told = await toldOf(repository, found, { traces, hasNotes, signal });
  const versions = found.flatMap((version) => {
    const { commit, time, blob } = version;
    const text = blob === undefined ? '' : texts.get(blob);
    const lines = told.get(version);
    return text === undefined
      ? []
      : [{ commit, time, path: version.path, lines: linesOf(text), ...(lines && { told: lines }) }];
  });
  const paths = [...new Set([path, ...found.map((version) => version.path)])];
  const isIncomplete = missing.some((blob) => !read.has(blob));
  const isCut = found.length >= MAX_VERSIONS;
  return {
    versions,
    paths,
    worktrees,
    tip,
    ...(isIncomplete && { isIncomplete }),
    ...(isCut && { isCut }),
  };
}

async function keptHistory(
  keeps: HistoryCache | undefined,
  path: string,
): Promise<CachedHistory | undefined> {
  const bytes = await keeps?.load(`history:${path}`);
  return bytes && (JSON.parse(inflateRawSync(bytes).toString()) as CachedHistory);
}

async function keepHistory(
  keeps: HistoryCache | undefined,
  path: string,
  { tip, versions, texts }: Omit<CachedHistory, 'texts'> & { readonly texts: ReadonlyMap<string, string> },
): Promise<void> {
  if (!keeps) return;
  let room = MAX_KEPT;
  const wanted = new Set(versions.map(({ blob }) => blob));
  const newest = [...texts].reverse().filter(([blob, text]) => wanted.has(blob) && (room -= text.length) > 0);
  const kept: CachedHistory = { tip, versions, texts: newest };
  await keeps.save(`history:${path}`, deflateRawSync(JSON.stringify(kept), { level: 1 }));
}

/** What git-ai and Agent Trace say of the lines of some versions. */
async function toldOf(
  repository: Repository,
  versions: readonly FileVersion[],
  {
    traces,
    hasNotes,
    signal,
  }: { traces: readonly TracedFile[]; hasNotes: boolean; signal: AbortSignal | undefined },
): Promise<ReadonlyMap<FileVersion, LineClaims>> {
  const found = new Map<FileVersion, LineClaims>();
  const paths = new Set(versions.map(({ path }) => path));
  const meant = traces.filter(({ path }) => paths.has(path));
  const objects = await repository.objects(
    meant.map(({ revision, path }) => `${revision}:${path}`),
    signal,
  );
  for (const [at, { lines }] of meant.entries()) {
    const version = versions.find(({ blob }) => blob !== undefined && blob === objects[at]);
    if (version) found.set(version, new Map([...(found.get(version) ?? []), ...lines]));
  }
  const notes = hasNotes
    ? await repository.notes(
        versions.map(({ commit }) => commit),
        signal,
      )
    : undefined;
  for (const version of notes ? versions : []) {
    const lines = readGitAiNote(notes?.get(version.commit) ?? '').get(version.path);
    if (lines) found.set(version, new Map([...(found.get(version) ?? []), ...lines]));
  }
  return found;
}

/** Says who wrote the lines of a file, from the edits of sessions and what is known of its history. */
export function blameFile<Edit extends RecordedEdit>(
  { file, text, repository, edits }: BlameRequest<Edit>,
  history: FileHistory,
  moved: MovedAuthors<Edit> = new Map(),
): FileBlame<Edit> {
  const { versions, isCut, isIncomplete } = history;
  const place = placer(file, repository?.root, history);
  const placed: (PlacedEdit & { readonly edit: Edit })[] = [];
  for (const edit of edits) {
    const at = place(edit);
    if (at) placed.push({ edit, ...at });
  }
  // Authors that others tell, and those of lines that came from other files, are numbered behind the edits.
  const others: (AuthorClaim | { readonly moved: Edit })[] = [];
  const numbered = versions.map(({ told = new Map<number, AuthorClaim>(), ...version }): CommittedVersion => {
    const came = moved.get(version.commit) ?? new Map<number, Edit>();
    const numbers = new Map<AuthorClaim | Edit, number>();
    const numberOf = (author: AuthorClaim | Edit, other: (typeof others)[number]) => {
      const known = numbers.get(author) ?? placed.length + others.push(other);
      numbers.set(author, known);
      return known;
    };
    const all = [
      ...[...told].map(([line, author]) => [line - 1, numberOf(author, author)] as const),
      // What a session proves goes before what others tell.
      ...[...came].map(([line, edit]) => [line, numberOf(edit, { moved: edit })] as const),
    ];
    return all.length === 0 ? version : { ...version, told: new Map(all) };
  });
  const replay = new Replay(placed, numbered);
  const behind = (author: number) => others[author - 1 - placed.length];
  const editOf = (author: number) => {
    const other = behind(author);
    return author === NOBODY ? undefined : other && 'moved' in other ? other.moved : placed[author - 1]?.edit;
  };
  const otherOf = (author: number) => {
    const other = behind(author);
    return other && !('moved' in other) ? other : undefined;
  };
  const by = replay.blame(linesOf(text));
  return {
    lines: by.map(editOf),
    told: by.map(otherOf),
    edits: placed.filter(({ edit }) => edit.change.kind !== 'seen').length,
    versions: versions.length,
    ...(isCut && { isCut }),
    ...(isIncomplete && { isIncomplete }),
    open: () =>
      new Map(
        versions.map(({ commit, lines }, at) => [
          commit,
          new Set([...lines.keys()].filter((line) => replay.versions[at]?.by[line] === NOBODY)),
        ]),
      ),
    brought: () =>
      versions.map(({ commit, path, lines }, at) => {
        const { by: authors = [] } = replay.versions[at] ?? {};
        const from = carry(versions[at - 1]?.lines ?? [], lines);
        // What the oldest one brought is not known where there are older ones.
        const isKnown = at > 0 || isCut !== true;
        const fresh = [...lines.keys()].filter((line) => isKnown && from[line] === NEW);
        return {
          commit,
          path,
          lines: fresh.map((line) => editOf(authors[line] ?? NOBODY)),
          told: fresh.map((line) => otherOf(authors[line] ?? NOBODY)),
        };
      }),
  };
}

/** Lines of a version that stood in another file until its commit. */
interface Move {
  readonly commit: string;
  /** The first of them, from 0, and how many there are. */
  readonly at: number;
  readonly count: number;
  /** Where they stood: the other file's path, its content as an object, and the place of the first. */
  readonly path: string;
  readonly blob: string;
  readonly from: number;
}

/** By commits, the authors of lines that came from other files, by their places from 0. */
export type MovedAuthors<Edit> = ReadonlyMap<string, ReadonlyMap<number, Edit>>;

/** Of so many of the newest versions, and of so many rows of lines, it is looked at where they came from; of a commit that changes more files it is not. */
const MAX_MOVES = 50;
const MAX_CHANGED = 50;

/**
 * The authors of lines that have none in this file and stood in another one until the commit that put them here: a row of lines that
 * tells, which that commit took from there. `editsOf`: the edits of files of some names.
 */
export async function movedAuthors<Edit extends RecordedEdit>(
  blamed: FileBlame<Edit>,
  history: FileHistory,
  repository: Repository | undefined,
  {
    editsOf,
    ...options
  }: HistoryOptions & { readonly editsOf: (names: readonly string[]) => Promise<readonly Edit[]> },
): Promise<MovedAuthors<Edit>> {
  const found = new Map<string, Map<number, Edit>>();
  if (!repository) return found;
  const open = blamed.open();
  // What is kept of the other file as it is now stays kept.
  const { keeps } = options;
  const asBefore = keeps && {
    load: (name: string) => keeps.load(`before:${name}`),
    save: (name: string, part: Buffer) => keeps.save(`before:${name}`, part),
  };
  const all = await movesInto(history, repository, options);
  const moves = all
    .filter(({ commit, at, count }) =>
      Array.from({ length: count }, (_, line) => at + line).some((line) => open.get(commit)?.has(line)),
    )
    .slice(-MAX_MOVES);
  const edits = moves.length === 0 ? [] : await editsOf([...new Set(moves.map(({ path }) => nameOf(path)))]);
  const edited = new Set(edits.map((edit) => nameOf(edit.path)));
  const sources = new Map<string, Promise<FileBlame<Edit>['lines']>>();
  const sourceOf = async ({ commit, path, blob }: Move) => {
    const tip = await repository.commit(`${commit}^`, options.signal);
    const text = (await repository.contents([blob], options.signal)).get(blob);
    if (tip === undefined || text === undefined) return [];
    const file = join(repository.root, path);
    const source = await historyOf(file, repository, { ...options, keeps: asBefore, tip });
    return blameFile({ file, text, repository, edits }, source).lines;
  };
  for (const move of moves.filter(({ path }) => edited.has(nameOf(path)))) {
    const { commit, at, count, path, from } = move;
    const key = `${commit}:${path}`;
    const source = sources.get(key) ?? sourceOf(move);
    sources.set(key, source);
    const authors = found.get(commit) ?? new Map<number, Edit>();
    for (const [line, edit] of (await source).slice(from, from + count).entries())
      if (edit && open.get(commit)?.has(at + line)) authors.set(at + line, edit);
    if (authors.size > 0) found.set(commit, authors);
  }
  return found;
}

/** Which lines of a file's versions stood in other files before, as git alone tells it, which is kept. */
async function movesInto(
  { versions, paths: [path = ''], tip }: FileHistory,
  repository: Repository,
  { keeps, signal }: HistoryOptions,
): Promise<readonly Move[]> {
  const bytes = await keeps?.load(`moves:${path}`);
  const kept =
    bytes && (JSON.parse(bytes.toString()) as { readonly tip: string; readonly moves: readonly Move[] });
  if (kept && kept.tip === tip) return kept.moves;
  const came = versions
    .map((version, at) => {
      const from = carry(versions[at - 1]?.lines ?? [], version.lines);
      const isNew = new Set([...version.lines.keys()].filter((line) => from[line] === NEW));
      const fresh = new Set(linesThatTell(version.lines).filter((line) => isNew.has(line)));
      return { ...version, isNew, fresh };
    })
    .filter(({ lines, fresh }) => isTelling([...fresh].map((line) => lines[line] ?? '')))
    .slice(-MAX_MOVES);
  const changes = await repository.changes(
    came.map(({ commit }) => commit),
    signal,
  );
  const sources = came.flatMap(({ commit, ...version }) => {
    const others = changes.filter((one) => one.commit === commit && one.path !== version.path && one.before);
    return others.length > MAX_CHANGED ? [] : others;
  });
  const texts = await repository.contents(
    sources.flatMap(({ before, blob }) => [before, blob]).filter((id) => id !== undefined),
    signal,
  );
  const moves: Move[] = [];
  for (const { commit, lines, isNew, fresh } of came) {
    const taken = new Set<number>();
    for (const source of sources.filter((one) => one.commit === commit)) {
      const { before: blob = '', blob: now } = source;
      const old = linesOf(texts.get(blob) ?? '');
      const left = new Set(linesOf((now === undefined ? '' : texts.get(now)) ?? ''));
      const gone = new Map(linesThatTell(old).map((line) => [old[line] ?? '', line]));
      for (const line of fresh) {
        const of = gone.get(lines[line] ?? '');
        if (taken.has(line) || of === undefined || left.has(lines[line] ?? '')) continue;
        // A row begins and ends with a line that tells: one that does not may be another one there.
        const reach = (step: 1 | -1) => {
          let [end, at] = [line, line + step];
          for (; isNew.has(at) && lines[at] === old[of + at - line]; at += step) {
            if (!fresh.has(at)) continue;
            if (left.has(lines[at] ?? '')) break;
            end = at;
          }
          return end;
        };
        const [at, last] = [reach(-1), reach(1)];
        for (let one = at; one <= last; one++) taken.add(one);
        if (isTelling(lines, at, last + 1))
          moves.push({ commit, at, count: last + 1 - at, path: source.path, blob, from: of - line + at });
      }
    }
  }
  await keeps?.save(`moves:${path}`, Buffer.from(JSON.stringify({ tip, moves })));
  return moves;
}

/** How many lines an edit puts that were not there, as far as it tells what was. */
export function linesPut({ change }: RecordedEdit): number {
  const put = (old: string, now: string) =>
    carry(linesOf(old), linesOf(now), true).reduce((sum, from) => sum + (from === NEW ? 1 : 0), 0);
  if (change.kind === 'write') return put(change.before ?? '', change.after);
  if (change.kind !== 'replace') return 0;
  return change.places.reduce((sum, { old, now }) => sum + put(old, now), 0);
}

/** Says whether an edit is one of a file, and in which folder the file lies by it. */
function placer(file: string, root: string | undefined, { paths, worktrees, shared }: FileHistory) {
  const own = slashed(file);
  const inFolder = (folder: string) =>
    paths.map((path) => [`${slashed(folder)}/${path}`, { path, tree: slashed(folder) }] as const);
  const known = new Map([
    ...worktrees.flatMap(inFolder),
    ...(root === undefined ? [] : inFolder(root)).map(
      ([whole, { path }]) => [whole, { path, tree: '' }] as const,
    ),
    [own, { path: paths[0] ?? '', tree: '' }],
  ]);
  const ends = (paths.length > 0 ? paths : [own.split('/').at(-1) ?? '']).map((path) => `/${path}`);
  /**
   * Whether the file had the path then, where another one has it as well: whoever the next commit of the path is of. After a rebase
   * that may be one of several, of which then none may be of another.
   */
  const hasThen = (path: string, time: number) => {
    const uses = shared?.get(path);
    if (!uses) return true;
    for (const use of uses) {
      // Git tells no parts of a second.
      if (use.time + SECOND <= time) continue;
      if (!use.isOwn) return false;
      if (use.authored >= time) return true;
    }
    return path === paths[0];
  };
  return ({ path, folder, time }: RecordedEdit): Omit<PlacedEdit, 'edit'> | undefined => {
    const told = slashed(whole(path, folder));
    const found = known.get(told);
    if (found) return hasThen(found.path, time) ? { tree: found.tree } : undefined;
    // Of a path whose beginning nobody tells, it is not known which file it is.
    const end = ends.find((one) => told.endsWith(one) || `/${told}` === one);
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
