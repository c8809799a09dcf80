import { stat } from 'node:fs/promises';
import { t } from '../../core/l10n.js';
import { wholePart } from '../../import/reading/fileEntries.js';
import { projectOf } from '../../import/projectOf.js';
import { silentLog } from '../../core/ports/log.js';
import type { TranscriptStore } from '../../store/transcriptStore.js';
import { RecordsHere, type ImportOutcome } from '../../store/write/importSession.js';
import { importIntoStore, importReportOf } from '../stores/importIntoStore.js';
import { UserError } from '../userError.js';
import { fileKind } from './fileKind.js';
import { openConversations, type FileReading } from './fileSessions.js';

/** How long after it was written to a half-written last line is taken for one that is being written, in milliseconds. */
const WRITTEN_MS = 60 * 60_000;

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
  const kind = await fileKind(path, name);
  if (kind === 'folder') throw new UserError(t`${name} is a folder, and no file.`);
  if (kind === 'pipe')
    throw new UserError(t`${name} is a pipe; what is imported must be a file, which can be read again.`);
  const isGrowing = await isBeingWritten(path);
  const { opened, kept } = await openConversations(path, name, { ...reading, isGrowing });
  try {
    for (const each of opened.readWith) onReadWith(each);
    if (isGrowing && (await isHalfWritten(path)))
      reading.onProblem({
        source: name,
        message: t`its last line is not whole yet; it comes with the next import.`,
        isLoss: false,
      });
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

/** Whether a file may be one that its tool writes just now: what was cut for good is kept out no longer than that. */
async function isBeingWritten(path: string): Promise<boolean> {
  const about = await stat(path).catch(() => undefined);
  return about === undefined || Date.now() - about.mtimeMs < WRITTEN_MS;
}

/** Whether a file of lines ends within one, as while its tool writes it. */
async function isHalfWritten(path: string): Promise<boolean> {
  const about = await stat(path).catch(() => undefined);
  return about?.isFile() === true && wholePart(path) < about.size;
}
