import { join } from 'node:path';
import { isObject } from '../../core/message.js';
import type { ConversationSource } from '../../core/ports/transcript.js';
import { sourceOf } from '../format/journalHeader.js';
import { NO_TEXTS } from '../../query/numbers/estimatedTokens.js';
import { emptyStored, type StoredSummary } from './conversationSummary.js';
import { isStamp, type FileStamp } from '../read/fileStamp.js';
import { checkLine, encodeLine, parseLine } from '../format/lineFormat.js';
import { findFolder, makeFolder, openPlainFile, READ } from '../../node/plainFile.js';
import { names } from '../files/storePaths.js';
import { makeRoot } from '../files/storeRoot.js';
import { writeAtomically } from '../../node/atomicFile.js';

/** What the catalog knows of one conversation. */
export interface CatalogRow {
  readonly conversation: string;
  readonly stamps: readonly FileStamp[];
  readonly damaged: number;
  /** The highest seq, 0 where nothing was read. */
  readonly maxSeq: number;
  /** Where the conversation was imported from. */
  readonly source?: ConversationSource | undefined;
  readonly summary: StoredSummary;
}

/** Rows by the names of the conversations' folders. */
export type CatalogRows = Map<string, CatalogRow>;

const VERSION = 6;

/** The cached rows; empty where the file is missing, damaged or of another version. Throws errors of the file system. */
export async function loadRows(root: string): Promise<CatalogRows> {
  const folder = await findFolder(root, names.state);
  if (folder === undefined) return new Map();
  const handle = await openPlainFile(join(folder, names.catalog), READ).catch(() => undefined);
  if (!handle) return new Map();
  try {
    const bytes = await handle.readFile();
    const parsed = checkLine(bytes) === 'right' ? parseLine(bytes) : { why: 'damaged' };
    if ('why' in parsed || parsed.value.catalog !== VERSION || !Array.isArray(parsed.value.rows))
      return new Map();
    return new Map((parsed.value.rows as unknown[]).filter(isRow));
  } finally {
    await handle.close();
  }
}

/** How long the least rows wait before they are stored, in milliseconds: not once for each of many imports. */
const SAVE_MS = 1000;

/** How long each further row lets them wait, in milliseconds; storing one takes about a hundredth of that. */
const SAVE_MS_PER_ROW = 1;

/**
 * How long so many rows wait before they are stored, in milliseconds. All are stored each time, so that many wait longer:
 * what storing costs for each import stays the same however many there are.
 */
export function saveDelay(rows: number): number {
  return SAVE_MS + rows * SAVE_MS_PER_ROW;
}

/** Stores the rows. Throws errors of the file system. */
export async function saveRows(root: string, rows: CatalogRows): Promise<void> {
  await makeRoot(root);
  const folder = await makeFolder(root, names.state);
  await writeAtomically(join(folder, names.catalog), encodeLine({ catalog: VERSION, rows: [...rows] }));
}

/** Validates a row in spite of the checksum, which an attacker could compute. */
function isRow(value: unknown): value is [string, CatalogRow] {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [name, row] = value as unknown[];
  return (
    typeof name === 'string' &&
    isObject(row) &&
    typeof row.conversation === 'string' &&
    typeof row.damaged === 'number' &&
    typeof row.maxSeq === 'number' &&
    Array.isArray(row.stamps) &&
    row.stamps.every(isStamp) &&
    (row.source === undefined || sourceOf(row.source) !== undefined) &&
    isSummary(row.summary)
  );
}

/** The lengths of a summary's texts. */
const LENGTHS = Object.keys(NO_TEXTS);

/** What kind of value each field of a summary is. */
const KINDS = Object.entries(emptyStored()).map(([key, empty]) => [key, typeof empty] as const);

function isSummary(value: unknown): boolean {
  if (!isObject(value)) return false;
  return (
    KINDS.every(([key, kind]) => typeof value[key] === kind) &&
    isListOf(value.agents, (agent) => typeof agent === 'string') &&
    isListOf(value.open, isOpenCall) &&
    isLengths(value.lengths)
  );
}

function isLengths(value: unknown): boolean {
  return isObject(value) && LENGTHS.every((side) => typeof value[side] === 'number');
}

function isListOf(value: unknown, isEntry: (entry: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isEntry);
}

/** A call and what it reports: by kind of record a count of tokens. */
function isOpenCall(value: unknown): boolean {
  if (!Array.isArray(value) || typeof value[0] !== 'string' || !isObject(value[1])) return false;
  return Object.values(value[1]).every(
    (count) => isObject(count) && typeof count.input === 'number' && typeof count.output === 'number',
  );
}
