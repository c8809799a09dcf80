import { closeSync, fstatSync, readSync } from 'node:fs';
import { LINE_FEED, LineRoom } from '../../node/lines.js';
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
        const from = at === 0 ? 0 : bytes.lastIndexOf(LINE_FEED, at - 1) + 1;
        const newline = bytes.indexOf(LINE_FEED, at);
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
    const room = new LineRoom(readRoom(Math.max(1, Math.min(size, ROOM_BYTES))));
    for (let at = 0; at < size;) {
      if (room.waiting >= MAX_LINE_BYTES) return true;
      const free = room.free();
      const read = readSync(file, free, 0, Math.min(free.length, size - at), at);
      at = read === 0 ? size : at + read;
      const lines = room.lines(read, at === size);
      if (lines.length > 0 && isIn(lines)) return true;
    }
    return false;
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
