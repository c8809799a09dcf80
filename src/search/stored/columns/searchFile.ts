import { areQuotas } from '../../../query/numbers/quotas.js';
import { constants, crc32, deflateRawSync, inflateRawSync } from 'node:zlib';
import { isObject } from '../../../core/message.js';
import { writeAtomically } from '../../../node/atomicFile.js';
import { isStamp, type FileStamp } from '../../../store/read/fileStamp.js';
import { aligned, cellsAt, type ColumnHead } from '../../../query/numbers/cells.js';
import { COLUMNS, type ColumnName, type SessionColumns, type SessionHead } from './sessionColumns.js';

/**
 * The file: 24 bytes (`LGBKASK` and a version, then the sizes of the three parts that follow, 32 bits each, and 4 bytes),
 * the head as JSON, the shapes, each on a line, and the larger rows as JSON, both deflated; then the columns and the blocks
 * of grams as the head lists them. Each part begins at a multiple of 8 bytes, and the CRC-32 of all this ends the file. In
 * the machine's byte order; a machine with the other order sees another version.
 */
const MAGIC = Buffer.from('LGBKASK');
const VERSION = 16;
const START_BYTES = 24;
const CRC_BYTES = 4;
/** The largest file that is read, in bytes. */
const MAX_BYTES = 1_000_000_000;
/** The most that shapes come to once they are inflated, in bytes. */
const MAX_RECORD_KINDS_BYTES = 256_000_000;

/** Up to so many characters are not deflated. */
const MAX_PLAIN = 4_096;
const DEFAULT_LEVEL = constants.Z_DEFAULT_COMPRESSION;
/** What stands before the bytes of a block that are not deflated. */
const PLAIN_HEAD = 5;

/** What is kept of a session, and the files of its journal that it is of. */
export interface SearchFile {
  readonly stamps: readonly FileStamp[];
  readonly columns: SessionColumns;
  /** Of a conversation in a file of another tool; absent for one of a store. */
  readonly file?: CachedFileFacts | undefined;
}

/** What is known besides of a conversation in a file of another tool. */
export interface CachedFileFacts {
  /** Where the file is. */
  readonly path: string;
  /** The id of the session, as the tool names it. */
  readonly session: string;
  /** Whether the file holds a further conversation. */
  readonly hasNext: boolean;
  /** A mark of the program that has read it. */
  readonly program: string;
}

interface Head {
  readonly stamps: readonly FileStamp[];
  readonly file?: CachedFileFacts | undefined;
  readonly head: SessionHead;
  readonly columns: readonly ColumnHead[];
  /** The first position of each block and its bytes. */
  readonly blocks: readonly (readonly [first: number, bytes: number])[];
}

/** Stores what is kept of a session; it need not survive a power cut. Throws errors of the file system. */
export async function saveSearchFile(path: string, file: SearchFile): Promise<void> {
  await writeAtomically(path, encodeSearchFile(file), { isDurable: false });
}

/** The bytes of such a file. */
export function encodeSearchFile({ stamps, columns: all, file }: SearchFile): Buffer {
  const { head, recordKinds, spans, columns, blocks } = all;
  const listed = COLUMNS.flatMap((name) => {
    const cells = columns[name];
    return cells ? [[name, cells] as const] : [];
  });
  const about: Head = {
    stamps,
    head,
    ...(file && { file }),
    columns: listed.map(([name, { BYTES_PER_ELEMENT: width, length }]) => [
      name,
      width as 1 | 2 | 4 | 8,
      length,
    ]),
    blocks: blocks.map(({ first, bits }) => [first, bits.length]),
  };
  const json = Buffer.from(JSON.stringify(about));
  const texts = deflated(recordKinds.join('\n'));
  const start = Buffer.alloc(START_BYTES);
  MAGIC.copy(start);
  start[MAGIC.length] = VERSION;
  new Uint32Array(start.buffer, start.byteOffset, START_BYTES / 4).set(
    [json.length, texts.length, spans.length],
    2,
  );
  const parts = [
    start,
    json,
    texts,
    spans,
    ...listed.map(([, { buffer, byteOffset, byteLength }]) => Buffer.from(buffer, byteOffset, byteLength)),
    ...blocks.map(({ bits }) => Buffer.from(bits.buffer, bits.byteOffset, bits.byteLength)),
  ].flatMap((part) => [part, Buffer.alloc(aligned(part.length) - part.length)]);
  const bytes = Buffer.concat(parts);
  const crc = Buffer.from(new Uint32Array([crc32(bytes)]).buffer);
  return Buffer.concat([bytes, crc]);
}

/** What the bytes of such a file say; undefined where they are cut, changed, of another version or do not fit together. */
export function parseSearchFile(bytes: Buffer): SearchFile | undefined {
  const end = bytes.length - CRC_BYTES;
  if (end < START_BYTES || bytes.length > MAX_BYTES) return undefined;
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC) || bytes[MAGIC.length] !== VERSION) return undefined;
  if (crc32(bytes.subarray(0, end)) !== numberAt(bytes, end)) return undefined;
  const [jsonBytes, textBytes, spanBytes] = [numberAt(bytes, 8), numberAt(bytes, 12), numberAt(bytes, 16)];
  const textsAt = aligned(START_BYTES + jsonBytes);
  const spansAt = aligned(textsAt + textBytes);
  let at = aligned(spansAt + spanBytes);
  if (at > end) return undefined;
  const about = parsed(bytes.toString('utf8', START_BYTES, START_BYTES + jsonBytes));
  if (!isHead(about)) return undefined;
  const recordKinds = inflated(bytes.subarray(textsAt, textsAt + textBytes));
  if (recordKinds === undefined) return undefined;
  // A copy where the bytes do not begin at a multiple of 8 in their memory, which typed arrays need.
  const whole = bytes.byteOffset % 8 === 0 ? bytes : Buffer.concat([bytes]);
  const columns: Partial<Record<ColumnName, NonNullable<ReturnType<typeof cellsAt>>>> = {};
  for (const column of about.columns) {
    const [name, width, length] = column;
    const cells =
      at + width * length <= end
        ? cellsAt(whole.buffer as ArrayBuffer, whole.byteOffset + at, column)
        : undefined;
    if (!cells || !isColumn(name)) return undefined;
    columns[name] = cells;
    at = aligned(at + cells.byteLength);
  }
  const blocks: { first: number; bits: Uint8Array }[] = [];
  for (const [first, length] of about.blocks) {
    if (at + length > end || length < 1) return undefined;
    blocks.push({ first, bits: whole.subarray(at, at + length) });
    at = aligned(at + length);
  }
  const spans = bytes.subarray(spansAt, spansAt + spanBytes);
  const { stamps, head, file } = about;
  return {
    stamps,
    file,
    columns: { head, recordKinds: recordKinds === '' ? [] : recordKinds.split('\n'), spans, columns, blocks },
  };
}

function numberAt(bytes: Buffer, at: number): number {
  return new Uint32Array(Uint8Array.prototype.slice.call(bytes, at, at + 4).buffer)[0] ?? 0;
}

/** Deflated; what is short stands as it is, as that format allows, because whoever reads many would begin to inflate for each of them. */
function deflated(text: string): Buffer {
  const isShort = text.length <= MAX_PLAIN;
  return deflateRawSync(text, { level: isShort ? constants.Z_NO_COMPRESSION : DEFAULT_LEVEL });
}

/** What a single block holds that stands as it is: its head of five bytes says so, and how long it is, twice. */
function plainIn(bytes: Buffer): string | undefined {
  const isPlain = bytes.length >= PLAIN_HEAD && bytes[0] === 1;
  const length = isPlain ? bytes.readUInt16LE(1) : -1;
  if (length !== bytes.length - PLAIN_HEAD || (length ^ bytes.readUInt16LE(3)) !== 0xff_ff) return undefined;
  return bytes.toString('utf8', PLAIN_HEAD);
}

function inflated(bytes: Buffer): string | undefined {
  const plain = plainIn(bytes);
  if (plain !== undefined) return plain;
  try {
    return inflateRawSync(bytes, { maxOutputLength: MAX_RECORD_KINDS_BYTES }).toString();
  } catch {
    // A checksum that somebody computed over something else.
    return undefined;
  }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    // A checksum that somebody computed over something else.
    return undefined;
  }
}

function isColumn(name: string): name is ColumnName {
  return (COLUMNS as readonly string[]).includes(name);
}

function isHead(value: unknown): value is Head {
  return (
    isObject(value) &&
    Array.isArray(value.stamps) &&
    value.stamps.every(isStamp) &&
    isObject(value.head) &&
    isSessionHead(value.head) &&
    (value.file === undefined || (isObject(value.file) && isCachedFileFacts(value.file))) &&
    isListOf(value.columns, (column) => Array.isArray(column) && column.length === 3) &&
    isListOf(value.blocks, (block) => Array.isArray(block) && block.every(Number.isSafeInteger))
  );
}

function isCachedFileFacts({ path, session, hasNext, program }: Record<string, unknown>): boolean {
  return [path, session, program].every((text) => typeof text === 'string') && typeof hasNext === 'boolean';
}

function isSessionHead(head: Record<string, unknown>): boolean {
  const isName = (name: unknown) => name === null || typeof name === 'string';
  const isCount = (count: unknown) => Number.isSafeInteger(count) && (count as number) >= 0;
  return (
    [head.records, head.toolCalls, head.damaged].every(isCount) &&
    [head.title, head.prices].every((text) => typeof text === 'string') &&
    [head.source, head.project, head.toolSession].every(isName) &&
    (head.quotas === undefined || areQuotas(head.quotas)) &&
    typeof head.isOpen === 'boolean' &&
    (head.odd === null || isListOf(head.odd, isCount)) &&
    Number.isFinite(head.base) &&
    (head.span === null ||
      (isObject(head.span) && Number.isFinite(head.span.from) && Number.isFinite(head.span.to))) &&
    isListOf(head.agents, (agent) => typeof agent === 'string') &&
    isListOf(head.places, (place) => Array.isArray(place) && place.length === 2 && place.every(isName))
  );
}

function isListOf(value: unknown, isEntry: (entry: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isEntry);
}
