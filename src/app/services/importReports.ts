import { t } from '../../core/l10n.js';
import { features } from '../features/features.js';
import type { Stores } from './stores.js';
import { UserError } from '../userError.js';
import type { ReadFileFacts } from '../transcripts/fileReportText.js';
import type { ShownFiles } from './shownFiles.js';

/** Where it is known what reading files has told. */
export interface ImportReports {
  readonly stores: Stores;
  readonly shown: ShownFiles;
}

/**
 * What reading the file of a transcript has told, as plain text: of one that is shown where it is, or was imported. Rejects
 * with an error for a person where it was read from no file.
 */
export async function importReportText(reports: ImportReports, conversation: string): Promise<string> {
  const facts = await factsOf(reports, conversation);
  const { fileReportText } = await features.transcripts();
  return fileReportText(facts);
}

async function factsOf({ stores, shown }: ImportReports, conversation: string): Promise<ReadFileFacts> {
  const file = shown.reportOf(conversation);
  if (file) return { ...file, problemCount: file.problems.length, conversations: file.conversations.length };
  const { store, entry } = await stores.find(conversation);
  if (!entry.origin) throw new UserError(t`This transcript was recorded here; no file was read for it.`);
  const report = await store.importReport(conversation);
  if (!report) throw new UserError(t`Nothing is noted of this import: all of it was understood.`);
  return report;
}
