import { cellsAt, cellsOf, isWidth, type Cells, type ColumnHead } from '../../query/numbers/cells.js';
import { isObject } from '../../core/message.js';
import type { ConversationPaths } from '../files/storePaths.js';
import { loadChecked, saveChecked } from './checkedFile.js';
import { FactColumns } from './factColumns.js';
import type { FactTables } from './factTables.js';
import type { LineIndex } from './lineIndex.js';

/**
 * The file: 16 bytes of header (`LGBKCOL` and a version, then the sizes of what follows the header: of JSON, and of the
 * ids), JSON, the ids as bytes, and the columns as the JSON lists them. In the machine's byte order; a machine with the
 * other order sees a different version.
 */
const MAGIC = Buffer.from('LGBKCOL');
const VERSION = 11;
const HEAD_BYTES = 16;

interface Head {
  /** Of how many records these are the facts, and a number made of the checksums of their lines. */
  readonly length: number;
  readonly mark: number;
  /** A width of 0 is a column of the records that holds nothing but zeros, as most parts of a usage are. */
  readonly columns: readonly ColumnHead[];
  readonly tables: FactTables;
}

/** Stores facts beside the journal of which the index knows the lines. Throws errors of the file system. */
export async function saveColumns(
  paths: ConversationPaths,
  index: LineIndex,
  facts: FactColumns,
): Promise<void> {
  const { length, columns, tables, ids } = facts.stored();
  const cells = Object.entries(columns).map(([name, numbers]) => [name, narrowed(numbers, length)] as const);
  const head: Head = {
    length,
    mark: index.markOf(length),
    tables,
    columns: cells.map(([name, numbers]) =>
      numbers ? [name, numbers.BYTES_PER_ELEMENT as ColumnHead[1], numbers.length] : [name, 0, length],
    ),
  };
  const json = Buffer.from(JSON.stringify(head));
  const start = Buffer.alloc(HEAD_BYTES);
  MAGIC.copy(start);
  start[MAGIC.length] = VERSION;
  new Uint32Array(start.buffer, start.byteOffset, HEAD_BYTES / 4).set([json.length, ids.length], 2);
  const bytes = cells.flatMap(([, numbers]) =>
    numbers ? Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength) : [],
  );
  await saveChecked(paths.columns, [
    start,
    json,
    Buffer.from(ids.buffer, ids.byteOffset, ids.length),
    ...bytes,
  ]);
}

/**
 * The facts stored beside a journal, as far as they are of its lines; undefined where they are missing, damaged, of another
 * version or of other lines. Throws errors of the file system.
 */
export async function loadColumns(
  paths: ConversationPaths,
  index: LineIndex,
): Promise<FactColumns | undefined> {
  const bytes = await loadChecked(paths.columns);
  if (!bytes || bytes.length < HEAD_BYTES) return undefined;
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC) || bytes[MAGIC.length] !== VERSION) return undefined;
  const [jsonBytes = 0, idBytes = 0] = new Uint32Array(bytes.buffer, bytes.byteOffset + 8, 2);
  const idsAt = HEAD_BYTES + jsonBytes;
  if (idsAt + idBytes > bytes.length) return undefined;
  const head: unknown = JSON.parse(bytes.toString('utf8', HEAD_BYTES, idsAt));
  if (!isHead(head) || head.length > index.size || head.mark !== index.markOf(head.length)) return undefined;
  const columns: Record<string, Cells> = {};
  let at = idsAt + idBytes;
  for (const column of head.columns) {
    const [name, width, count] = column;
    const end = at + width * count;
    if (end > bytes.length || (width === 0 && count !== head.length)) return undefined;
    // Copied, because a column begins at any byte.
    const copy = Uint8Array.prototype.slice.call(bytes, at, end).buffer;
    columns[name] = cellsAt(copy, 0, column) ?? new Uint8Array(count);
    at = end;
  }
  const ids = bytes.subarray(idsAt, idsAt + idBytes);
  return await FactColumns.from({ length: head.length, tables: head.tables, columns, ids: Buffer.from(ids) });
}

function isHead(value: unknown): value is Head {
  return (
    isObject(value) &&
    Number.isSafeInteger(value.length) &&
    typeof value.mark === 'number' &&
    isObject(value.tables) &&
    typeof value.tables.start === 'number' &&
    Array.isArray(value.columns) &&
    value.columns.every((column) => Array.isArray(column) && isWidth(column[1]))
  );
}

/** Numbers in cells as small as they allow; undefined for one zero for each of the records. */
function narrowed(numbers: ArrayLike<number>, records: number): Cells | undefined {
  const cells = cellsOf(numbers);
  return cells || numbers.length === records ? cells : new Uint8Array(numbers.length);
}
