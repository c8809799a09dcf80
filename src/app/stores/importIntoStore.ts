import { READER } from '../../import/toolWords.js';
import type { ImportReport } from '../../store/files/importReport.js';
import type { TranscriptStore } from '../../store/transcriptStore.js';
import type { ImportOutcome, SessionRecords } from '../../store/write/importSession.js';
import { Cancelled } from '../userError.js';

/** A conversation that was read from a file of a tool. */
export interface ReadSession {
  readonly id: string;
  readonly title: string;
  /** The project that its agents worked in; undefined where the file does not say. */
  readonly project: string | undefined;
  readonly records: SessionRecords;
}

/** What is told of the file that a conversation was read from. */
export type ReadFrom = Pick<ImportReport, 'path' | 'format' | 'readWith' | 'problems'>;

/** The report of reading a file, of which these conversations are kept. */
export function importReportOf(
  { path, format, readWith, problems }: ReadFrom,
  kept: readonly { readonly length: number }[],
): ImportReport {
  return {
    path,
    format,
    readWith: [...readWith],
    problems,
    problemCount: problems.length,
    conversations: kept.length,
    records: kept.reduce((sum, { length }) => sum + length, 0),
    readAt: Date.now(),
    reader: READER,
  };
}

/** Stores a conversation that was read from a file of a tool, or updates the one that was made of it before, with the report. */
export async function importIntoStore(
  store: TranscriptStore,
  { id, title, project, records }: ReadSession,
  report: ImportReport,
  signal: AbortSignal,
): Promise<ImportOutcome> {
  try {
    const from = { tool: report.format, path: report.path };
    const source = { ...from, session: id, title, reader: READER, ...(project !== undefined && { project }) };
    const outcome = await store.importRecords(source, records, signal);
    await store.keepImportReport(outcome.conversation, report);
    return outcome;
  } catch (error) {
    throw signal.aborted ? new Cancelled() : error;
  }
}
