import { projectOf } from '../../import/projectOf.js';
import { silentLog } from '../../core/ports/log.js';
import type { TranscriptStore } from '../../store/transcriptStore.js';
import { RecordsHere, type ImportOutcome } from '../../store/write/importSession.js';
import { importIntoStore, importReportOf } from '../stores/importIntoStore.js';
import { openConversations, type FileReading } from './fileSessions.js';

/** What came of one conversation of a file. */
export interface ImportedFileSession {
  /** The id that the file gives it. */
  readonly session: string;
  readonly outcome: ImportOutcome;
}

/**
 * Imports the conversations of a file of any known tool into a store, one after the other. `onReadWith` is told the paths of
 * the files beside it that belong to it. Throws a UserError where the file cannot be read or holds no conversation, and a
 * `StoreError`; what was stored before stays.
 */
export async function* importFileInto(
  store: TranscriptStore,
  { path, name }: { readonly path: string; readonly name: string },
  reading: FileReading,
  onReadWith: (path: string) => void,
): AsyncGenerator<ImportedFileSession, void, undefined> {
  const { opened, kept } = await openConversations(path, name, reading);
  try {
    for (const each of opened.readWith) onReadWith(each);
    const report = importReportOf(
      { ...opened, path },
      kept.map(({ records }) => records),
    );
    for (const { id, title, records } of kept) {
      const read = { id, title, project: projectOf(records), records: new RecordsHere(records, silentLog) };
      const outcome = await importIntoStore(store, read, report, reading.signal);
      yield { session: id, outcome };
    }
  } finally {
    opened.close();
  }
}
