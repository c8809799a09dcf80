import type { ExportOptions, ExportReport } from '../export/exportFormat.js';
import { exportToFile } from '../export/exportFile.js';
import { exportChunks } from '../export/exportMessages.js';
import type { ExportFormat } from '../ports/exportFormats.js';
import type { Prices } from '../ports/prices.js';
import type { ReadRecord, Transcript } from '../ports/transcript.js';
import { wholeRecords } from '../store/read/wholeRecords.js';
import type { CountedRecords } from '../tokens/countedRecords.js';

/** What to export of a transcript, and how; it can be sent to another thread. */
export interface ExportWork {
  readonly format: ExportFormat;
  /** The positions of the records to export, ascending; undefined: all. */
  readonly positions: readonly number[] | undefined;
  /** The absolute path of the file to write, which may exist; undefined: the text is answered. */
  readonly file: string | undefined;
  /** Whether secrets are replaced. */
  readonly redact: boolean;
  readonly title: string;
  /** The path of the person's file with own prices; '' for none. */
  readonly ownPrices: string;
}

/** What came of an export: a written file, a text, or a text of more than {@link MAX_EDITOR_TEXT}, which is not kept. */
export type ExportMade =
  | { readonly kind: 'file'; readonly report: ExportReport }
  | { readonly kind: 'text'; readonly report: ExportReport; readonly text: string }
  | { readonly kind: 'tooLarge' };

/** Takes how many of all records to be exported have been read. */
export type ExportProgressed = (read: number, all: number) => void;

/** What an export needs where it runs. */
export interface ExportPlace {
  /** Counts the tokens of messages as they are read. */
  /** Loads what models cost; the argument is the path of a person's own prices. */
  readonly loadPrices: (ownFile: string) => Promise<Prices>;
  readonly counted: (records: AsyncIterable<ReadRecord>, signal: AbortSignal) => CountedRecords;
  readonly onProgress: ExportProgressed;
  readonly signal: AbortSignal;
}

/** The formats with a token count for each message. */
const COUNTED: ReadonlySet<ExportFormat> = new Set(['json', 'csv', 'dict']);

/** The longest text for an editor, in UTF-16 code units; VS Code handles longer ones badly. */
const MAX_EDITOR_TEXT = 50_000_000;

/** How many records are exported between two progress reports. */
const RECORDS_PER_REPORT = 500;

/**
 * Exports the records of a transcript with everything that they hold, the texts in files of their own included. Rejects
 * with the signal's reason, and with errors of the file system as they are; a file is whole or not there.
 */
export async function exportRecords(
  transcript: Transcript,
  work: ExportWork,
  { counted, loadPrices, onProgress, signal }: ExportPlace,
): Promise<ExportMade> {
  const { format, positions, file, redact, title } = work;
  const whole = wholeRecords(transcript, positions, signal);
  const { records, counter } = counted(whole, signal);
  const all = positions?.length ?? transcript.length;
  const read = withProgress(COUNTED.has(format) ? records : whole, all, onProgress);
  const options: ExportOptions = {
    tokenCounter: counter,
    prices: await loadPrices(work.ownPrices),
    ...{ redact, title, includeMetadata: true, full: true, isSubset: positions !== undefined },
  };
  if (file === undefined) return textOf(read, format, options, signal);
  const report = await exportToFile(read, format, file, { ...options, signal, overwrite: true });
  return { kind: 'file', report };
}

async function textOf(
  records: AsyncIterable<unknown>,
  format: ExportFormat,
  options: ExportOptions,
  signal: AbortSignal,
): Promise<ExportMade> {
  let report: ExportReport = { messages: 0, redacted: 0 };
  const parts: string[] = [];
  let length = 0;
  for await (const chunk of exportChunks(records, format, {
    ...options,
    onReport: (made) => (report = made),
  })) {
    signal.throwIfAborted();
    length += chunk.length;
    if (length > MAX_EDITOR_TEXT) return { kind: 'tooLarge' };
    parts.push(chunk);
  }
  signal.throwIfAborted();
  return { kind: 'text', report, text: parts.join('') };
}

/** Passes records on, and tells from time to time how many have passed. */
async function* withProgress<T>(
  records: AsyncIterable<T>,
  all: number,
  onProgress: ExportProgressed,
): AsyncGenerator<T, void, undefined> {
  let passed = 0;
  for await (const record of records) {
    yield record;
    if (++passed % RECORDS_PER_REPORT === 0) onProgress(passed, all);
  }
}
