import { closeSync, fstatSync, readSync } from 'node:fs';
import { openPlainFileSync } from '../../node/plainFile.js';
import { readRoom, ROOM_BYTES } from '../../node/readRoom.js';
import { gramsText } from '../../query/language/grams.js';
import { readHeader } from '../../store/format/journalHeader.js';
import { readRecord } from '../../store/format/readRecord.js';
import { refsOf } from '../../store/format/spillTexts.js';
import { textsOf } from '../columns/readSession.js';
import { searchesFor, type RawText } from '../bytes/rawText.js';

/** A line that is longer is not read for this. */
const MAX_LINE_BYTES = 128 * 1024 * 1024;
/** In so many lines a text may stand where it is none of a message before the journal is read for it. */
const MAX_VAIN_LINES = 200;
const NEWLINE = 0x0a;

/**
 * Whether one of some texts stands in the texts of a journal's file, or whether that cannot be told without reading it.
 * Bytes are looked through, and only lines in which it may stand are parsed. Throws errors of the file system.
 */
export function mayStandIn(path: string, texts: readonly RawText[]): boolean {
  const searches = searchesFor(texts);
  let vain = 0;
  /** Whether a text stands on one of the lines that some bytes consist of. */
  const isIn = (bytes: Buffer): boolean => {
    for (const search of searches) {
      const next = search.over(bytes);
      for (let at = next(0); at >= 0;) {
        const from = at === 0 ? 0 : bytes.lastIndexOf(NEWLINE, at - 1) + 1;
        const newline = bytes.indexOf(NEWLINE, at);
        const to = newline < 0 ? bytes.length : newline;
        if (++vain > MAX_VAIN_LINES || standsOn(bytes.subarray(from, to), texts)) return true;
        at = to < bytes.length ? next(to + 1) : -1;
      }
    }
    return false;
  };
  return eachPiece(path, isIn);
}

/** Whether `isIn` holds for some of a file's lines, which it is given in pieces; true where a line is too long to be given. */
function eachPiece(path: string, isIn: (lines: Buffer) => boolean): boolean {
  const file = openPlainFileSync(path);
  try {
    const { size } = fstatSync(file);
    // A longer line is looked through whole.
    let room = readRoom(Math.max(1, Math.min(size, ROOM_BYTES)));
    let held = 0;
    for (let at = 0; at < size;) {
      if (held === room.length) {
        if (held >= MAX_LINE_BYTES) return true;
        room = Buffer.concat([room], 2 * held);
      }
      const read = readSync(file, room, held, Math.min(room.length - held, size - at), at);
      if (read === 0) break;
      at += read;
      held += read;
      const end = at < size ? room.lastIndexOf(NEWLINE, held - 1) + 1 : held;
      if (end > 0 && isIn(room.subarray(0, end))) return true;
      room.copyWithin(0, end, held);
      held -= end;
    }
    return held > 0 && isIn(room.subarray(0, held));
  } finally {
    closeSync(file);
  }
}

/** Whether one of some texts stands in the texts of the record on a line, or in some that the line only refers to. */
function standsOn(line: Buffer, wanted: readonly RawText[]): boolean {
  const record = readRecord(line, '', 0);
  // That there is a damaged line is told once the journal is read.
  if (record.type === 'unreadable') return readHeader(line) === undefined;
  if (refsOf(record).length > 0) return true;
  return textsOf(record).some((text) =>
    wanted.some((each) =>
      each.ignoresCase ? gramsText(text).includes(each.text.toLowerCase()) : text.includes(each.text),
    ),
  );
}
