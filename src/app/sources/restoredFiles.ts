import { constants } from 'node:fs';
import {
  copyFile,
  lstat,
  mkdir,
  readFile,
  readlink,
  realpath,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { t } from '../../core/l10n.js';
import { appendAll } from '../../core/lists.js';
import type { Transcript } from '../../core/ports/transcript.js';
import { errorCode } from '../../core/errorCode.js';
import { newId } from '../../core/ids.js';
import { isMessageRecord, type LogRecord, type MessageRecord } from '../../core/record.js';
import { messageOf } from '../../core/text.js';
import { FileStates, plainText, styledAs, type FileState } from '../../provenance/fileStates.js';
import { Repository } from '../../provenance/git.js';
import { EditReader, type RecordedEdit } from '../../provenance/recordedEdits.js';
import { restoredRecords } from '../../store/read/restoredRecords.js';
import { UserError } from '../userError.js';

/** What of a conversation's changes is taken back: those that were done behind `from`, up to `to`, both positions. */
export interface RestoreRequest {
  /** The folder that the agents worked in, absolute. */
  readonly folder: string;
  /** Whether they were recorded here. */
  readonly isOwn: boolean;
  readonly from: number;
  readonly to?: number;
  /** What stands in a file now, where that is not what the disk has. */
  readonly textOf?: (file: string) => string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A file that was changed. */
export interface ChangedFile {
  /** From the folder on, with slashes. */
  readonly path: string;
  /** Absolute. */
  readonly file: string;
  /** What stands in it now, as it stands there; undefined where there is none. */
  readonly now: string | undefined;
  /** What stood in it; undefined where that is not known. */
  readonly then: FileState | undefined;
  /** Whether it is as these changes left it. */
  readonly isUntouched: boolean;
  /** Whether the session tells how lines end. */
  readonly tellsEnds: boolean;
}

/** What taking changes back would do, and what nobody can take back. */
export interface RestorePlan {
  readonly files: readonly ChangedFile[];
  /** Files that lie elsewhere, or are no plain files, as the calls name them. */
  readonly outside: readonly string[];
  /** How many commands ran; nobody knows what they changed. */
  readonly commands: number;
}

/** Tools that run commands. */
const COMMANDS = /^(?:run_command|run_in_terminal|bash|shell|exec_command|execute_command|local_shell)$/i;

/** Finds out what the files were, from the edits that the conversation tells. */
export async function planRestore(transcript: Transcript, request: RestoreRequest): Promise<RestorePlan> {
  const { from, to = Infinity, signal } = request;
  const folder = await realpath(request.folder);
  const reader = new EditReader(request.folder, request.isOwn);
  const edits: RecordedEdit[] = [];
  let [position, commands] = [-1, 0];
  for await (const record of restoredRecords(transcript, undefined, signal)) {
    position++;
    appendAll(edits, reader.add(record));
    const { toolName = '', isError } = record as { toolName?: unknown; isError?: unknown };
    if (position > from && position <= to && isError !== true && COMMANDS.test(String(toolName))) commands++;
  }
  const byFile = new Map<string, RecordedEdit[]>();
  const outside = new Set<string>();
  for (const edit of edits) {
    const isMeant = edit.change.kind !== 'seen' && isWithin(edit, from, to);
    const file = await placeOf(edit, request.folder, folder);
    if (file === undefined) {
      if (isMeant) outside.add(edit.path);
      continue;
    }
    const known = byFile.get(file);
    if (known) known.push(edit);
    else byFile.set(file, [edit]);
  }
  const files: ChangedFile[] = [];
  for (const [file, all] of byFile) {
    if (!all.some((edit) => edit.change.kind !== 'seen' && isWithin(edit, from, to))) continue;
    const now = await textNow(file, request);
    if (now === null) {
      outside.add(relative(folder, file));
      continue;
    }
    const states = new FileStates(all);
    const [then, left] = [states.at(from), states.at(to)];
    const isUntouched = left !== undefined && isSame(now, left);
    files.push({
      path: relative(folder, file).split(sep).join('/'),
      file,
      now,
      then,
      isUntouched,
      tellsEnds: request.isOwn,
    });
  }
  return { files, outside: [...outside], commands };
}

/** The text that a file gets where changes are taken back; `null` where it goes. Only of one whose `then` is known. */
export function textThen({ then, now, tellsEnds }: ChangedFile): string | null {
  return then === null || then === undefined ? null : styledAs(then, now ?? '', tellsEnds);
}

function isSame(now: string | undefined, state: FileState): boolean {
  return now === undefined || state === null
    ? now === undefined && state === null
    : plainText(now) === plainText(state);
}

/** What a person must know before files are put back, a sentence each; none where there is nothing to say. */
export function restoreWords({ files, outside, commands }: RestorePlan): readonly string[] {
  const named = (paths: readonly string[]) =>
    paths.length > MAX_NAMED
      ? t`${paths.slice(0, MAX_NAMED).join(', ')} and ${paths.length - MAX_NAMED} more`
      : paths.join(', ');
  const unknown = files.filter(({ then }) => then === undefined).map(({ path }) => path);
  const touched = files.filter(({ isUntouched, then }) => !isUntouched && then !== undefined);
  return [
    ...(unknown.length > 0 ? [t`What stood in them before is not recorded: ${named(unknown)}.`] : []),
    ...(touched.length > 0
      ? [t`Changed since by somebody else: ${named(touched.map(({ path }) => path))}.`]
      : []),
    ...(outside.length > 0 ? [t`Not files of this folder: ${named(outside)}.`] : []),
    ...(commands > 0 ? [t`Commands that ran, whose changes nobody knows: ${commands}.`] : []),
  ];
}

/** How many files a sentence names. */
const MAX_NAMED = 10;

/** A worktree that was made. */
export interface RestoredTree {
  /** The folder in it that stands for the one of the plan. */
  readonly folder: string;
  /** What could not be taken along. */
  readonly left: readonly string[];
  /** Takes it away again, where nothing could be begun in it. */
  readonly remove: () => Promise<void>;
}

/**
 * Makes a worktree beside the repository with the files that the folder has now, and those that the plan knows as they were. The
 * folder itself is not changed. Rejects with a UserError where that cannot be done.
 */
export async function restoreInWorktree(
  plan: RestorePlan,
  folder: string,
  name: string,
  signal?: AbortSignal,
): Promise<RestoredTree> {
  const repository = await Repository.around(folder, signal);
  if (!repository)
    throw new UserError(
      t`Git knows no repository around this folder, so there is no worktree to put the files into.`,
    );
  const { root } = repository;
  // One of a worktree stands beside it.
  const beside = dirname(root).endsWith(TREES) ? dirname(root) : `${root}${TREES}`;
  const target = join(beside, name);
  try {
    await repository.addWorktree(target, signal);
  } catch (error) {
    signal?.throwIfAborted();
    throw new UserError(t`Git makes no worktree at ${target}: ${messageOf(error)}`);
  }
  try {
    const left: string[] = [];
    for (const path of await repository.files(signal)) {
      signal?.throwIfAborted();
      if (!(await isCopied(root, target, path))) left.push(path);
    }
    const here = await realpath(folder);
    for (const file of plan.files) {
      if (file.then === undefined) continue;
      const to = join(target, relative(root, file.file));
      const text = textThen(file);
      if (text === null) await rm(to, { force: true });
      else {
        await mkdir(dirname(to), { recursive: true });
        await writeFile(to, text);
      }
    }
    const remove = () => repository.removeWorktree(target);
    return { folder: join(target, relative(root, here)), left, remove };
  } catch (error) {
    await repository.removeWorktree(target);
    throw error;
  }
}

/** What the folder ends with in which the worktrees of a repository are. */
const TREES = '.worktrees';

/** A message of a conversation with its place among the records. */
export interface Placed {
  readonly position: number;
  readonly record: MessageRecord;
}

/** All messages of a conversation. */
export async function messagesIn(transcript: Transcript): Promise<readonly Placed[]> {
  const found: Placed[] = [];
  let position = 0;
  for await (const record of restoredRecords(transcript)) {
    const known = record as LogRecord;
    if (isMessageRecord(known)) found.push({ position, record: known });
    position++;
  }
  return found;
}

/** The position of what stands before where a conversation goes on from a message: with it, what was answered beside it. */
export function positionBehind(messages: readonly Placed[], seq: number): number {
  const at = messages.findIndex(({ record }) => record.seq === seq);
  const { call, message } = messages[at]?.record ?? {};
  const later = messages.slice(at + 1).filter(({ record }) => record.call === call);
  const end = message?.role === 'tool' ? later.findIndex(({ record }) => record.message.role !== 'tool') : 0;
  return (later.slice(0, end === -1 ? undefined : end).at(-1) ?? messages[at])?.position ?? -1;
}

/**
 * The folder with whose files a run worked: another worktree of the repository, where it was given one, else the one that is given
 * here. Where that one is not there any more, says so.
 */
export async function folderOfRun(
  transcript: Transcript,
  upTo: number,
  here: string,
  signal?: AbortSignal,
): Promise<{ readonly folder: string; readonly told: readonly string[] }> {
  let [position, worked] = [0, ''];
  for await (const record of restoredRecords(transcript, undefined, signal)) {
    if (position++ > upTo) break;
    const { type, depth, folder } = record as { type?: unknown; depth?: unknown; folder?: unknown };
    if (type === 'callStart' && depth === 0) worked = typeof folder === 'string' ? folder : '';
  }
  if (worked === '') return { folder: here, told: [] };
  const was = await realpath(worked).catch(() => undefined);
  if (was !== undefined) {
    // A record may name any folder; that of another repository is none to copy from.
    const [own, other] = [await Repository.around(here, signal), await Repository.around(was, signal)];
    const all = own && other ? [own.root, ...(await own.worktrees(signal))] : [];
    if (other && all.includes(other.root)) {
      const told =
        other.root === own?.root ? [] : [t`The run worked in ${was}: these are the files from there.`];
      return { folder: was, told };
    }
  }
  return {
    folder: here,
    told: [
      t`The run worked in ${worked}, which is no folder of this repository any more: its files cannot be put back, these are the ones of ${here} as they are now.`,
    ],
  };
}

/** A worktree with the files of the folder as they were behind a message of a conversation, and what a person must know of them. */
export async function worktreeBehind(
  transcript: Transcript,
  seq: number,
  folder: string,
  signal?: AbortSignal,
): Promise<Omit<RestoredTree, 'left'> & { readonly told: readonly string[] }> {
  const from = positionBehind(await messagesIn(transcript), seq);
  const worked = await folderOfRun(transcript, from, folder, signal);
  const plan = await planRestore(transcript, { folder: worked.folder, isOwn: true, from, signal });
  const name = `${transcript.conversation}-${newId('call').slice(-8)}`;
  const made = await restoreInWorktree(plan, worked.folder, name, signal);
  const left =
    made.left.length === 0 ? [] : [t`Not taken along: ${made.left.slice(0, MAX_NAMED).join(', ')}`];
  const { remove } = made;
  return { folder: made.folder, remove, told: [...worked.told, ...restoreWords(plan), ...left] };
}

/** Copies a file or a link that leads to somewhere within; false where it is neither. */
async function isCopied(root: string, target: string, path: string): Promise<boolean> {
  const [from, to] = [join(root, path), join(target, path)];
  const entry = await lstat(from).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  // What was removed and not committed is not there either.
  if (!entry) return true;
  if (!entry.isFile() && !entry.isSymbolicLink()) return false;
  // A folder on the way may be a link, too.
  if (!isInside(root, await realpath(dirname(from)))) return false;
  await mkdir(dirname(to), { recursive: true });
  if (entry.isFile()) {
    await copyFile(from, to, constants.COPYFILE_FICLONE);
    return true;
  }
  const leads = await readlink(from);
  if (isAbsolute(leads) || !isInside(root, resolve(dirname(from), leads))) return false;
  await symlink(leads, to);
  return true;
}

function isWithin({ doneAt }: RecordedEdit, from: number, to: number): boolean {
  return doneAt !== undefined && doneAt > from && doneAt <= to;
}

/** Where the file of an edit really is; undefined where that is not in the folder. */
async function placeOf(
  { path, folder }: RecordedEdit,
  told: string,
  root: string,
): Promise<string | undefined> {
  const written = resolve(folder ?? told, path.replace(/^file:\/\//, ''));
  for (let at = dirname(written); ; at = dirname(at)) {
    const real = await realpath(at).catch(() => undefined);
    if (real !== undefined) {
      const file = join(real, relative(at, dirname(written)), basename(written));
      return isInside(root, file) && file !== root ? file : undefined;
    }
    if (dirname(at) === at) return undefined;
  }
}

function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : `${root}${sep}`);
}

/** The text of a file; undefined where there is none, `null` where it is no text. */
async function textNow(file: string, { textOf }: RestoreRequest): Promise<string | undefined | null> {
  const shown = textOf?.(file);
  if (shown !== undefined) return shown;
  const entry = await lstat(file).catch(() => undefined);
  if (!entry) return undefined;
  if (!entry.isFile()) return null;
  const bytes = await readFile(file);
  return bytes.includes(0) ? null : bytes.toString('utf8');
}
