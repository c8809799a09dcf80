import { isUtf8 } from 'node:buffer';
import { constants, gunzipSync } from 'node:zlib';
import { sizeWords, MAX_NESTING } from './reading/nesting.js';
import { errorCode } from '../core/errorCode.js';
import { messageOf } from '../core/text.js';
import { detect } from './detect.js';
import { ImportSink, type Entry } from './building/importSink.js';
import { isBlank, NO_JSON, NO_OBJECT, ONLY_BLANK } from './reading/fragments.js';
import { beginsAsDatabase } from '../node/sqlite/databaseMark.js';
import { UNKNOWN_DATABASE } from './sessionDatabases.js';
import { archiveMembers, memberValues } from './reading/archiveJson.js';
import { WholeBytes } from './reading/byteWindow.js';
import { cutJson } from './reading/cutJson.js';
import { bytesNestDeeper, parseJsonBytes, valueEnd } from './reading/jsonBytes.js';
import { JsonLines, jsonLines, LAST_COMMAS, listStart, withoutLastCommas } from './reading/jsonLines.js';
import { readBytes, type TranscriptSource } from './reading/readBytes.js';
import { TextsOfPieces } from './reading/repeatedTexts.js';
import { csvRows } from './reading/tables.js';
import { recordedText } from './reading/recordedText.js';
import { isZip, type ArchiveMember } from './reading/zipArchive.js';
import { atifArchive } from './tools/atif/atifArchive.js';
import { unpackZstd } from './reading/zstd.js';
import { fields } from './reading/fields.js';

/** How many files of an archive are read at most. */
const MAX_MEMBERS = 2000;

/** A file with its values: a transcript, or one of several in an archive. */
export interface ReadFile {
  /** Its path in the archive; '' where it is in none, or alone. */
  readonly name: string;
  readonly entries: readonly Entry[];
}

/** The files that were read, and whether what stands beyond the longest that is read was left out. */
export interface ReadFiles {
  readonly files: readonly ReadFile[];
  readonly isCut: boolean;
}

/**
 * The values of a file: one for a JSON file or an archive, else one per line; apart for each file of an archive that holds
 * several. What it is called does not matter.
 */
export async function readFiles(
  source: TranscriptSource,
  maxBytes: number,
  sink: ImportSink,
): Promise<ReadFiles> {
  const { bytes, isCut } = await readBytes(source, maxBytes);
  return { files: filesIn(bytes, maxBytes, sink), isCut };
}

function filesIn(bytes: Uint8Array, maxBytes: number, sink: ImportSink): readonly ReadFile[] {
  if (bytes.length === 0) {
    sink.problem('warning', 'The file is empty.');
    return [];
  }
  if (bytes.every((byte) => byte !== 0 && isBlank(byte))) {
    sink.problem('error', ONLY_BLANK);
    return [];
  }
  if (beginsAsDatabase(bytes)) {
    sink.problem('error', UNKNOWN_DATABASE);
    return [];
  }
  if (isZip(bytes)) return filesInArchive(bytes, maxBytes, sink);
  return [{ name: '', entries: entriesOf(bytes, maxBytes, sink) }];
}

function entriesOf(packed: Uint8Array, maxBytes: number, sink: ImportSink): Entry[] {
  try {
    const { bytes, was, isCut = false, damage } = plainBytes(packed, maxBytes);
    if (bytes && isUtf32(bytes)) {
      sink.problem(
        'error',
        'The file is written in UTF-32, which is not read. Save it as UTF-8 and import that.',
      );
      return [];
    }
    if (damage !== undefined)
      sink.problem(
        'error',
        `The file (${was ?? 'packed'}) is damaged (${damage}). What stands before that was read.`,
      );
    if (isCut)
      sink.problem(
        'error',
        `The file (${was ?? 'packed'}) breaks off: its end is missing. What stands before was read.`,
      );
    if (bytes && was !== undefined && isGzip(bytes)) {
      sink.problem('error', 'The file is packed twice. Unpack it once and import what comes out.');
      return [];
    }
    if (bytes) {
      const recorded = recordedText(bytes, sink);
      return recorded ? [recorded] : (wholeJson(bytes, sink) ?? lines(bytes, sink));
    }
    sink.problem(
      'error',
      `The file (${was ?? 'packed'}) unpacks to more than ${sizeWords(maxBytes)}; it was not read. Unpack it and import what is in it.`,
    );
  } catch (error) {
    sink.problem('error', `The file could not be unpacked: ${messageOf(error).replace(/\.$/, '')}.`);
  }
  return [];
}

function filesInArchive(bytes: Uint8Array, maxBytes: number, sink: ImportSink): ReadFile[] {
  // Beside each file, macOS puts one with its attributes.
  const members = archiveMembers(bytes, sink).filter(({ name }) => !name.startsWith('__MACOSX/'));
  const log = inspectArchive(members, maxBytes, sink);
  const values = log === undefined ? atifArchive(members, maxBytes, sink) : [log];
  if (values) return [{ name: '', entries: values.map((value) => ({ value })) }];
  const files = members.filter(({ name }) => /\.(?:jsonl?|ndjson|txt|log|md|traj)$/i.test(name));
  if (files.length === 0) sink.problem('error', 'This is an archive of a kind that is not known.');
  return readMembers(files, maxBytes, sink);
}

/**
 * The files of an archive, each with its values; stops, with a report, at the one with which the unpacked total exceeds
 * `maxBytes`, or where there are very many.
 */
function readMembers(files: readonly ArchiveMember[], maxBytes: number, sink: ImportSink): ReadFile[] {
  const read: ReadFile[] = [];
  let left = maxBytes;
  const more = files.length - MAX_MEMBERS;
  if (more > 0) sink.problem('error', `${more} more files in the archive were not read.`);
  for (const file of files.slice(0, MAX_MEMBERS)) {
    const name = files.length > 1 ? file.name : '';
    if (name !== '') sink.startMember(name);
    try {
      const bytes = file.read(left);
      if (!bytes) {
        const rest = files.length - read.length;
        const others = rest > 1 ? ` (${rest} files)` : '';
        sink.problem(
          'error',
          `${name === '' ? file.name : 'It'} unpacks to more than ${sizeWords(left)}; it was not read${others}. Unpack the archive and import its files.`,
        );
        break;
      }
      left -= bytes.length;
      read.push({ name, entries: entriesOf(bytes, maxBytes, sink) });
    } catch (error) {
      sink.problem('error', `${name === '' ? `${file.name}: ` : ''}${messageOf(error)}`);
    }
  }
  return read;
}

/** The value of a file that is a single JSON value; undefined where it is not. */
function wholeJson(bytes: Uint8Array, sink: ImportSink): Entry[] | undefined {
  const start = bytes.findIndex((byte) => byte > 0x20);
  const first = bytes[start];
  if (first !== 0x7b && first !== 0x5b) return undefined;
  // Where a value ends before the file does, it is one of several; this is cheaper than to parse and fail.
  const end = valueEnd(bytes, start);
  const isOneLine = !bytes.includes(0x0a);
  const isWhole = end !== undefined && !bytes.subarray(end).some((byte) => byte > 0x20);
  if (!isWhole && !isOneLine) return end === undefined ? cut(bytes, sink) : undefined;
  if (bytesNestDeeper(bytes)) {
    const items = listItems(bytes, sink);
    if (items) return items;
    sink.problem('error', `The file nests deeper than ${MAX_NESTING} levels; it was kept as text.`);
    return [{ value: undefined, raw: decode(bytes) }];
  }
  if (!isWhole) return end === undefined ? cut(bytes, sink) : undefined;
  try {
    const value = parseJsonBytes(bytes);
    if (!isUndamaged(bytes)) sink.problem('warning', 'Some characters are damaged.');
    return [{ value: TextsOfPieces.isIn(value) ? new TextsOfPieces().whole(value, sink) : value }];
  } catch {
    const mended = bytes.length > MAX_MENDED ? undefined : withoutLastCommas(decode(bytes));
    if (mended === undefined) return listItems(bytes, sink);
    sink.problem('warning', LAST_COMMAS);
    return [{ value: mended }];
  }
}

/** Longer files are not looked through for commas that JSON does not have, in bytes. */
const MAX_MENDED = 64 * 1024 * 1024;

/** The items of a file that is one list of objects, of which some cannot be read with the others; undefined for any other file. */
function listItems(bytes: Uint8Array, sink: ImportSink): Entry[] | undefined {
  const start = listStart(new WholeBytes(bytes));
  if (start === undefined) return undefined;
  const trial = new ImportSink('');
  const items = [...new JsonLines(new WholeBytes(bytes.subarray(start), start), trial).items()];
  if (items.every(({ raw }) => raw !== undefined)) return undefined;
  for (const { severity, message, line } of trial.problems) sink.problem(severity, message, line);
  return items;
}

/** The value of a file that is a single JSON value without its end; what could not be made part of it is given as text. */
function cut(bytes: Uint8Array, sink: ImportSink): Entry[] | undefined {
  const found = cutJson(bytes);
  if (!found) return undefined;
  const { value, line, path, rest } = found;
  const where = path === '' ? '' : ` in ${path}`;
  sink.problem(
    'error',
    `The file breaks off${where}: its end is missing. What stands before was read.`,
    line,
  );
  if (!isUndamaged(lastWhole(bytes))) sink.problem('warning', 'Some characters are damaged.');
  return rest === '' ? [{ value }] : [{ value }, { value: undefined, line, raw: rest }];
}

/** Bytes without the character at their end that a cut may have halved. */
function lastWhole(bytes: Uint8Array): Uint8Array {
  let end = bytes.length;
  while (end > 0 && bytes.length - end < 4 && ((bytes[end - 1] ?? 0) & 0xc0) === 0x80) end--;
  return (bytes[end - 1] ?? 0) >= 0xc0 ? bytes.subarray(0, end - 1) : bytes;
}

/** Whether bytes are UTF-8 without a replacement character, which stands where another program met damaged ones. */
function isUndamaged(bytes: Uint8Array): boolean {
  return isUtf8(bytes) && !Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes('\ufffd');
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/** One entry per value, unless none is an object or a list: then the file is a text and kept as one. */
function lines(bytes: Uint8Array, sink: ImportSink): Entry[] {
  // Of a text nothing is held but itself, however many lines it has.
  let [count, isJson] = [0, true];
  for (const { value } of jsonLines(new WholeBytes(bytes), new ImportSink(''))) {
    if (typeof value === 'object' && value !== null) return [...jsonLines(new WholeBytes(bytes), sink)];
    count++;
    isJson &&= value !== undefined;
  }
  const rows = mayBeTable(bytes) ? csvRows(decode(bytes)) : undefined;
  if (rows) return rows.map((value) => ({ value }));
  sink.problem('error', count > 0 && isJson ? NO_OBJECT : NO_JSON);
  return [{ value: undefined, raw: decode(bytes) }];
}

/** The beginning of a long text that tells whether it is a table that somebody reads, in bytes. */
const TABLE_HEAD = 1024 * 1024;

/** Whether a text may be worth to be read as a table: of a long one only where a format knows its first rows. */
function mayBeTable(bytes: Uint8Array): boolean {
  if (bytes.length <= TABLE_HEAD) return true;
  const head = decode(bytes.subarray(0, TABLE_HEAD));
  // A row may hold line feeds, and the last is cut: one of the last ones ends a row.
  for (let [end, tries] = [head.length, 0]; tries < MAX_ROW_ENDS; tries++) {
    end = head.lastIndexOf('\n', end - 1);
    const rows = end > 0 ? csvRows(head.slice(0, end)) : undefined;
    if (rows) return detect(rows.map((value) => ({ value }))).format !== undefined;
  }
  return false;
}

const MAX_ROW_ENDS = 50;

/** What bytes are once they are unpacked and in UTF-8. */
interface PlainBytes {
  /** Undefined where they unpack to more than was allowed. */
  readonly bytes: Uint8Array | undefined;
  /** How they were packed or encoded, for a person; undefined where they were plain. */
  readonly was: string | undefined;
  /** Whether their end is missing. */
  readonly isCut?: boolean;
  /** What is wrong behind them. */
  readonly damage?: string;
}

/**
 * Unpacks gzip and Zstandard and converts UTF-16 to UTF-8, whatever a file is called. Throws where packed bytes are
 * damaged.
 */
function plainBytes(bytes: Uint8Array, maxBytes: number): PlainBytes {
  if (isGzip(bytes)) {
    const { unpacked, ...about } = gunzip(bytes, maxBytes);
    return { bytes: unpacked && asUtf8(unpacked), was: 'gzip', ...about };
  }
  if (isZstd(bytes)) {
    const unpacked = unpackZstd(bytes, maxBytes);
    return { bytes: unpacked && asUtf8(unpacked), was: 'Zstandard' };
  }
  return { bytes: asUtf8(bytes), was: undefined };
}

function isGzip([first, second]: Uint8Array): boolean {
  return first === 0x1f && second === 0x8b;
}

/** Whether bytes begin with a frame of Zstandard, or with one that is to be skipped (RFC 8878, section 3.1). */
function isZstd([first = 0, second, third, fourth]: Uint8Array): boolean {
  const isFrame = first === 0x28 && second === 0xb5 && third === 0x2f && fourth === 0xfd;
  return isFrame || (first >> 4 === 5 && second === 0x2a && third === 0x4d && fourth === 0x18);
}

/** What is packed, as far as it is there. */
function gunzip(
  bytes: Uint8Array,
  maxBytes: number,
): { readonly unpacked?: Uint8Array; readonly isCut: boolean; readonly damage?: string } {
  const unpack = (finishFlush: number, length = bytes.length) =>
    gunzipSync(bytes.subarray(0, length), { maxOutputLength: maxBytes, finishFlush });
  try {
    return { unpacked: unpack(constants.Z_FINISH), isCut: false };
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ERR_BUFFER_TOO_LARGE') return { isCut: false };
    if (code === 'Z_BUF_ERROR') return { unpacked: unpack(constants.Z_SYNC_FLUSH), isCut: true };
    if (code !== 'Z_DATA_ERROR' || bytes.length > MAX_DAMAGED) throw error;
    const unpacked = beforeDamage(bytes.length, (length) => unpack(constants.Z_SYNC_FLUSH, length));
    if (!unpacked) throw error;
    return { unpacked, isCut: false, damage: messageOf(error) };
  }
}

/** In a longer packed file, in bytes, it is not looked for where the damage is: each try unpacks it anew. */
const MAX_DAMAGED = 32 * 1024 * 1024;

/** How many bytes of checksum and length end what gzip packs. */
const GZIP_END = 8;

/** What the longest beginning unpacks to that can be unpacked; undefined where that is nothing. */
function beforeDamage(length: number, unpack: (length: number) => Uint8Array): Uint8Array | undefined {
  let [good, bad] = [0, length];
  let unpacked: Uint8Array | undefined;
  // Mostly the damage is at the end: a checksum that does not hold, or something behind.
  for (let step = GZIP_END; good === 0 && step < length; step *= 2) {
    try {
      unpacked = unpack(length - step);
      good = length - step;
    } catch {
      bad = length - step;
    }
  }
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    try {
      unpacked = unpack(middle);
      good = middle;
    } catch {
      // The damage is before this.
      bad = middle;
    }
  }
  return unpacked?.length ? unpacked : undefined;
}

/** UTF-8 without a byte order mark; Windows shells write UTF-16, with a mark or without one. */
function asUtf8(bytes: Uint8Array): Uint8Array {
  // Nobody reads it: that is told of it.
  if (isUtf32(bytes)) return bytes;
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return bytes.subarray(3);
  const encoding = utf16In(bytes);
  return encoding === undefined ? bytes : Buffer.from(new TextDecoder(encoding).decode(bytes));
}

/**
 * Whether bytes are UTF-32, of either order and with a mark or without one: of each character of JSON three of four are 0, of the
 * second one, too, because NUL bytes may stand before a text of any encoding.
 */
function isUtf32(bytes: Uint8Array): boolean {
  const begin = Buffer.from(bytes.subarray(0, 32)).toString('hex');
  return (
    /^(?:fffe0000|0000feff)/.test(begin) ||
    /^(?:(?:09|0a|0d|20)000000)*[57]b000000..000000/.test(begin) ||
    /^(?:000000(?:09|0a|0d|20))*000000[57]b000000../.test(begin)
  );
}

/** The order of the bytes where they are UTF-16: JSON begins with two characters of ASCII, which leave every other byte 0. */
function utf16In(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const [first = 0, second = 0, third = 0, fourth = 0] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first !== 0 && second === 0 && third !== 0 && fourth === 0) return 'utf-16le';
  return first === 0 && second !== 0 && third === 0 && fourth !== 0 ? 'utf-16be' : undefined;
}

/** Inspect's `.eval` archive as the object that its JSON logs consist of; undefined for any other archive. */
function inspectArchive(members: readonly ArchiveMember[], maxBytes: number, sink: ImportSink): unknown {
  const header =
    members.find(({ name }) => name === 'header.json') ??
    members.find(({ name }) => name === '_journal/start.json');
  if (!header) return undefined;
  const samples = members.filter(({ name }) => /^samples\/.*\.json$/.test(name));
  const values = [...memberValues([header, ...samples], maxBytes, sink)];
  const about = values[0]?.[0] === header.name ? fields(values.shift()?.[1]) : {};
  return { status: 'unknown', ...about, samples: values.map(([, value]) => value) };
}
