import { join } from 'node:path';
import { isObject } from '../../core/message.js';
import type { ReadRecord } from '../../core/ports/transcript.js';
import { depthOf, MAX_DEPTH } from './jsonDepth.js';
import { findFolder, openPlainFile, READ } from '../../node/plainFile.js';
import { errorCode } from '../../core/errorCode.js';
import { bodyProblem } from './recordShape.js';
import { names, type ConversationPaths } from '../files/storePaths.js';

/** The largest file of the older layout, in bytes: it is one JSON array and cannot be read in parts. */
const MAX_BYTES = 256 * 1024 * 1024;

/** The content of an older layout's file, or why it cannot be read. */
export type LegacyConversation =
  | { readonly records: readonly ReadRecord[]; readonly bytes: number }
  | { readonly why: string; readonly bytes: number };

/** Reads a conversation of the older layout, `messages.json`; undefined where there is none. */
export async function readLegacy(paths: ConversationPaths): Promise<LegacyConversation | undefined> {
  const folder = await findFolder(paths.root, names.conversations, paths.name);
  if (folder === undefined) return undefined;
  const handle = await openPlainFile(join(folder, names.legacyJournal), READ).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (!handle) return undefined;
  try {
    const { size, mtimeMs } = await handle.stat();
    if (size > MAX_BYTES) return { why: `larger than ${MAX_BYTES} bytes`, bytes: size };
    return { ...parseOlder(await handle.readFile(), paths.id, Math.trunc(mtimeMs)), bytes: size };
  } finally {
    await handle.close();
  }
}

function parseOlder(bytes: Buffer, conversation: string, time: number) {
  if (depthOf(bytes) > MAX_DEPTH) return { why: `nested deeper than ${MAX_DEPTH} levels` };
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8').replace(/^\ufeff/, ''));
  } catch {
    return { why: 'no JSON' };
  }
  const items: unknown = isObject(value) ? value.messages : value;
  if (!Array.isArray(items)) return { why: 'no list of messages' };
  return { records: (items as unknown[]).map((item, at) => recordOf(item, at, conversation, time)) };
}

/**
 * Converts a message of the older layout, bare or with `agent` and `depth`, to a record. Missing values are the same at
 * every reading: ids and seqs come from its index, the time from the file.
 */
function recordOf(item: unknown, at: number, conversation: string, fileTime: number): ReadRecord {
  const entry = isObject(item) ? item : {};
  const { agent, worker, depth, time, timestamp, message: inner, ...bare } = entry;
  const message = isObject(inner) ? inner : bare;
  const header = {
    seq: at + 1,
    id: typeof entry.id === 'string' && entry.id !== '' ? entry.id : `older-${at + 1}`,
    time: timeOf(time) ?? timeOf(timestamp) ?? fileTime,
    conversation,
    run: '',
    call: '',
    agent: typeof agent === 'string' ? agent : typeof worker === 'string' ? worker : '',
    depth: typeof depth === 'number' && Number.isSafeInteger(depth) && depth >= 0 ? depth : 0,
  };
  const record = { ...header, type: 'message', message };
  const why = bodyProblem(record);
  return why === undefined ? record : { ...header, type: 'unreadable', why, raw: JSON.stringify(item) };
}

/** A time in milliseconds since 1970, from such a number or from a date string. */
function timeOf(value: unknown): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : value;
  return typeof time === 'number' && Number.isFinite(time) && Math.abs(time) <= 8.64e15 ? time : undefined;
}
