import { rm } from 'node:fs/promises';
import { isObject } from '../../core/message.js';
import type { Problem } from '../../core/agent.js';
import type { ConversationSource } from '../../core/ports/transcript.js';
import { errorCode } from '../../core/errorCode.js';
import { writeAtomically } from '../../node/atomicFile.js';
import { openPlainFile, READ } from '../../node/plainFile.js';
import type { ConversationPaths } from './storePaths.js';

/** The version of the file. */
const VERSION = 1;
/** How many problems are kept; further ones are only counted. */
const MAX_KEPT = 1_000;
/** A larger file, in bytes, is none that was written here. */
const MAX_BYTES = 16 * 1024 * 1024;

/** What reading the file that a conversation was imported from has told, where it told of problems. */
export interface ImportReport {
  /** The file. */
  readonly path: string;
  /** The name of its format, see `transcriptFormats`. */
  readonly format: string;
  /** The files beside it that were read with it. */
  readonly readWith: readonly string[];
  /** The first problems, and how many there were. */
  readonly problems: readonly Problem[];
  readonly problemCount: number;
  /** How many conversations the file holds, and records in all of them. */
  readonly conversations: number;
  readonly records: number;
  /** When it was read, in milliseconds since 1970. */
  readonly readAt: number;
  /** The number of the readers that read it, see `ConversationSource`; left out where the conversation says it. */
  readonly reader?: number;
}

/** Keeps the report of an import beside the journal; it takes the place of the one before. Throws errors of the file system. */
export async function writeImportReport(paths: ConversationPaths, report: ImportReport): Promise<void> {
  const kept = { version: VERSION, ...report, problems: report.problems.slice(0, MAX_KEPT) };
  await writeAtomically(paths.importReport, Buffer.from(`${JSON.stringify(kept)}\n`), { isDurable: false });
}

/** The report that is kept; undefined where there is none that can be read. Throws errors of the file system. */
export async function readImportReport(paths: ConversationPaths): Promise<ImportReport | undefined> {
  const handle = await openPlainFile(paths.importReport, READ).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
    throw error;
  });
  if (!handle) return undefined;
  try {
    const { size } = await handle.stat();
    return size > MAX_BYTES ? undefined : reportIn(parsed(await handle.readFile('utf8')));
  } finally {
    await handle.close();
  }
}

/** Where a conversation came from, by the readers that read its file last: those that made of it what it says already. Throws as above. */
export async function sourceAsRead(
  paths: ConversationPaths,
  source: ConversationSource | undefined,
): Promise<ConversationSource | undefined> {
  const { reader = 1 } = (source && (await readImportReport(paths))) ?? {};
  return source && reader > (source.reader ?? 1) ? { ...source, reader } : source;
}

/** Removes the report of an earlier import; a missing one is fine. Throws errors of the file system. */
export async function removeImportReport(paths: ConversationPaths): Promise<void> {
  await rm(paths.importReport, { force: true });
}

/** Of a file that was cut nothing is known; the conversation is whole without it. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function reportIn(value: unknown): ImportReport | undefined {
  if (!isObject(value) || value.version !== VERSION) return undefined;
  const { path, format, readWith, problems, problemCount, conversations, records, readAt, reader } = value;
  const isNamed = typeof path === 'string' && typeof format === 'string';
  if (!isNamed || !Array.isArray(readWith) || !Array.isArray(problems)) return undefined;
  return {
    path,
    format,
    readWith: (readWith as unknown[]).map(String),
    problems: (problems as unknown[]).flatMap((each) => problemIn(each) ?? []),
    problemCount: numberOf(problemCount),
    conversations: numberOf(conversations),
    records: numberOf(records),
    readAt: numberOf(readAt),
    ...(numberOf(reader) > 0 && { reader: numberOf(reader) }),
  };
}

function problemIn(value: unknown): Problem | undefined {
  if (!isObject(value) || typeof value.message !== 'string') return undefined;
  const { message, line } = value;
  return {
    severity: value.severity === 'error' ? 'error' : 'warning',
    message,
    ...(typeof line === 'number' && { line }),
  };
}

function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0;
}
