import { t } from '../../core/l10n.js';
import { isObject } from '../../core/message.js';
import { MAX_NOTE_LENGTH, type Note, type NoteChange, type NoteTarget } from '../../core/note.js';
import { errorCode } from '../../core/errorCode.js';
import { endsWithinLine, linesOf } from '../../node/lines.js';
import { APPEND, entryAt, findFolder, openPlainFile, READ, syncFolder } from '../../node/plainFile.js';
import { names, type ConversationPaths } from '../files/storePaths.js';
import { checkLine, encodeLine, isBlank, parseLine } from '../format/lineFormat.js';

/** The version of a line; lines of a later one are kept, and not understood. */
const VERSION = 1;
/** A file of notes that is larger than this, in bytes, is neither read nor written: nobody wrote it by hand. */
const MAX_BYTES = 16 * 1024 * 1024;

/** The notes of a conversation, and what of their file could not be read. */
export interface StoredNotes {
  /** In the order in which they were written first. */
  readonly notes: readonly Note[];
  /** The numbers of the lines that are damaged, from 1; they are kept. */
  readonly damaged: readonly number[];
  /** How many lines a later version has written. */
  readonly newer: number;
}

const NONE: StoredNotes = { notes: [], damaged: [], newer: 0 };

/** Whether something stands in the place of the notes of a conversation. */
export async function hasNotes(paths: ConversationPaths): Promise<boolean> {
  return (await entryAt(paths.notes)) !== undefined;
}

/**
 * The notes of a conversation: what the lines of their file come to, of which each sets or removes one. Rejects with errors
 * of the file system, and where the file is too large or no plain file.
 */
export async function readNotes(paths: ConversationPaths): Promise<StoredNotes> {
  let bytes: Buffer;
  try {
    const handle = await openPlainFile(paths.notes, READ);
    try {
      checkSize((await handle.stat()).size, paths);
      bytes = await handle.readFile();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return NONE;
    throw error;
  }
  return notesIn(bytes);
}

/** The notes that the bytes of a file come to. */
export function notesIn(bytes: Buffer): StoredNotes {
  const notes = new Map<string, Note>();
  const damaged: number[] = [];
  let newer = 0;
  for (const [at, line] of [...linesOf(bytes)].entries()) {
    if (isBlank(line)) continue;
    const change = changeOn(line);
    if (change === 'newer') newer++;
    else if (!change) damaged.push(at + 1);
    else if (change.kind === 'remove') notes.delete(change.id);
    else notes.set(change.note.id, change.note);
  }
  return { notes: [...notes.values()], damaged, newer };
}

/**
 * Writes changes of the notes behind those before: in one write, so that what two windows write at once stands one behind
 * the other, and durably once this resolves. Nothing in the file is ever changed. Rejects with errors of the file system, and
 * with an error for a person where the conversation is not there or the file would be too large.
 */
export async function writeNoteChanges(
  paths: ConversationPaths,
  changes: readonly NoteChange[],
): Promise<void> {
  const folder = await findFolder(paths.root, names.conversations, paths.name);
  if (folder === undefined) throw new Error(t`This conversation is not on the disk; nothing was noted.`);
  const isNew = (await entryAt(paths.notes)) === undefined;
  const handle = await openPlainFile(paths.notes, APPEND);
  try {
    const { size } = await handle.stat();
    const lines = changes.map((change) => Buffer.concat([encodeLine(lineOf(change)), NEWLINE]));
    // What a crash has cut off would else swallow the line behind it.
    const isCut = await endsWithinLine(handle, size);
    const written = Buffer.concat(isCut ? [NEWLINE, ...lines] : lines);
    checkSize(size + written.length, paths);
    await handle.write(written);
    await handle.sync();
  } finally {
    await handle.close();
  }
  if (isNew) await syncFolder(folder);
}

const NEWLINE = Buffer.from('\n');

function checkSize(size: number, { id }: ConversationPaths): void {
  if (size <= MAX_BYTES) return;
  throw new Error(
    t`The notes of ${id} take more than ${MAX_BYTES / 1024 / 1024} MB; they are left as they are.`,
  );
}

function lineOf(change: NoteChange): object {
  return change.kind === 'set'
    ? { v: VERSION, set: change.note }
    : { v: VERSION, remove: change.id, at: change.at };
}

/** The change that a line tells; undefined where it is damaged. */
function changeOn(line: Buffer): NoteChange | 'newer' | undefined {
  if (checkLine(line) !== 'right') return undefined;
  const parsed = parseLine(line);
  if (!('value' in parsed)) return undefined;
  const { v, set, remove, at } = parsed.value;
  if (typeof v === 'number' && v > VERSION) return 'newer';
  if (v !== VERSION) return undefined;
  if (typeof remove === 'string') return { kind: 'remove', id: remove, at: numberOf(at) };
  const note = noteOf(set);
  return note && { kind: 'set', note };
}

/** A note as a file has it; a checksum only says that the line is as somebody wrote it. */
export function noteOf(value: unknown): Note | undefined {
  if (!isObject(value) || typeof value.id !== 'string' || typeof value.text !== 'string') return undefined;
  const about = targetOf(value.about);
  if (!about || value.text.length > MAX_NOTE_LENGTH) return undefined;
  const { id, text } = value;
  return { id, about, text, createdAt: numberOf(value.createdAt), changedAt: numberOf(value.changedAt) };
}

function targetOf(value: unknown): NoteTarget | undefined {
  if (!isObject(value)) return undefined;
  const { record, call, position, time, role, agent, source, excerpt } = value;
  if (typeof record !== 'string' || !isPlace(position)) return undefined;
  return {
    record,
    position,
    time: numberOf(time),
    role: stringOf(role),
    agent: stringOf(agent),
    ...(isPlace(call) && { call }),
    ...(typeof source === 'string' && { source }),
    excerpt: stringOf(excerpt),
  };
}

function isPlace(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
