import { unlink } from 'node:fs/promises';
import type { ChatMessage, ToolCall } from '../../core/message.js';
import { headerOf, type LogRecord, type PieceRecord } from '../../core/record.js';
import { linesOf } from '../../node/lines.js';
import { entryAt, openPlainFile, READ } from '../../node/plainFile.js';
import type { ConversationPaths } from '../files/storePaths.js';
import { checkLine } from '../format/lineFormat.js';
import { readRecord } from '../format/readRecord.js';
import { isBeingWritten } from './journalLines.js';
import type { LineIndex } from './lineIndex.js';
import { readSpans } from './readSpans.js';

/** A file of pieces that is larger than this, in bytes, was written by nobody who speaks. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Whether a conversation has pieces of which no record has told, as far as its file says. */
export async function hasPieces({ pieces }: ConversationPaths): Promise<boolean> {
  return ((await entryAt(pieces))?.size ?? 0) > 0;
}

/** Whether a record takes the place of what was said before it in its call: nothing of that is still to be kept apart. */
export function replacesPieces(record: Pick<LogRecord, 'type'>): boolean {
  const { type, message, superseded } = record as Partial<LogRecord> & {
    readonly message?: { readonly role?: string };
    readonly superseded?: string;
  };
  if (type === 'message') return message?.role === 'assistant';
  return type === 'callEnd' || (type === 'request' && superseded !== undefined);
}

/** The last words as a reader has them who writes nothing: behind all records, as the next writer will write them. */
export async function unwrittenWords(paths: ConversationPaths, index: LineIndex): Promise<LogRecord[]> {
  if (!(await hasPieces(paths)) || (await isBeingWritten(paths))) return [];
  const words = await lastWordsOf(paths, index);
  return words.map((record, at) => ({ ...record, seq: index.maxSeq + 1 + at }));
}

/**
 * The last words of agents whose process ended while they spoke: for each call the message as far as it had come, as a
 * record that is still to get its seq. To be called while the conversation's lock is held. Rejects with errors of the file
 * system.
 */
export async function lastWordsOf(paths: ConversationPaths, index: LineIndex): Promise<LogRecord[]> {
  const pieces = await readPieces(paths);
  const [first] = pieces;
  if (!first) return [];
  const latest = new Map<string, PieceRecord[]>();
  for (const piece of pieces) {
    const said = latest.get(piece.call);
    if (said?.[0]?.request === piece.request) said.push(piece);
    else latest.set(piece.call, [piece]);
  }
  // Of two writers each has its own seqs, so that there may be some more.
  const since = 2 * Math.max(0, index.maxSeq - first.seq) + 16;
  const start = Math.max(0, index.size - since);
  for (const record of await readSpans(paths, index, start, index.size)) {
    const said = latest.get(record.call)?.at(-1);
    if (said && record.seq > said.seq && replacesPieces(record as LogRecord)) latest.delete(record.call);
  }
  return [...latest.values()].flatMap(brokenOff);
}

/** To be called when what `lastWordsOf` gave is on the disk. */
export async function forgetPieces({ pieces }: ConversationPaths): Promise<void> {
  if (await entryAt(pieces)) await unlink(pieces);
}

async function readPieces(paths: ConversationPaths): Promise<PieceRecord[]> {
  if (!(await hasPieces(paths))) return [];
  const handle = await openPlainFile(paths.pieces, READ);
  try {
    const { size } = await handle.stat();
    const bytes = Buffer.alloc(Math.min(size, MAX_BYTES));
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
    return piecesIn(bytes.subarray(0, bytesRead), paths.id);
  } finally {
    await handle.close();
  }
}

/** The pieces on the lines that are whole; one that was not written to its end is what came last. */
function piecesIn(bytes: Buffer, conversation: string): PieceRecord[] {
  const pieces: PieceRecord[] = [];
  for (const line of linesOf(bytes)) {
    const check = checkLine(line);
    if (check !== 'right') continue;
    const record = readRecord(line, conversation, 0, check);
    if (record.type === 'piece') pieces.push(record as PieceRecord);
  }
  return pieces;
}

/** What the pieces of one answer come to; the header is that of the last, which says when it was heard. */
function brokenOff(pieces: readonly PieceRecord[]): LogRecord[] {
  const last = pieces.at(-1);
  if (!last) return [];
  let content = '';
  let reasoning = '';
  const calls = new Map<number, { id: string; name: string; arguments: string }>();
  for (const { text, reasoning: thought, toolCall } of pieces) {
    if (typeof text === 'string') content += text;
    if (typeof thought === 'string') reasoning += thought;
    if (typeof toolCall?.index !== 'number') continue;
    const call = calls.get(toolCall.index) ?? { id: '', name: '', arguments: '' };
    calls.set(toolCall.index, call);
    if (typeof toolCall.id === 'string') call.id = toolCall.id;
    if (typeof toolCall.name === 'string') call.name = toolCall.name;
    if (typeof toolCall.arguments === 'string') call.arguments += toolCall.arguments;
  }
  const made = [...calls].map(([index, { id, name, arguments: text }]): ToolCall => {
    const called = { name, arguments: text };
    return { id: id === '' ? `unfinished-${index}` : id, type: 'function', function: called };
  });
  const message: ChatMessage = {
    role: 'assistant',
    content: content === '' && made.length > 0 ? null : content,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(made.length > 0 && { tool_calls: made }),
  };
  return [{ ...headerOf(last), type: 'message', message, partial: 'error' }];
}
