import * as vscode from 'vscode';
import { t } from '../../../core/l10n.js';
import type { TablesReport } from '../../../export/tables/exportTables.js';
import type { Log } from '../../../core/ports/log.js';
import {
  exportTablesOnThread,
  type TablesOnThreadOptions,
  type TablesTarget,
} from '../../../search/reader/tablesThread.js';
import type { StoredConversation } from '../../../app/stores/storedConversation.js';
import { formatCount } from '../../../app/text/format.js';
import { words } from '../../../app/text/plainText.js';
import { leftOutWords, sharedWords } from '../../../app/transcripts/leftOutWords.js';
import { chosen } from '../../../app/userError.js';
import { sharingPolicyOf } from '../../../app/sharing/sharingSettings.js';
import { editorSettings, setting } from '../settings.js';
import { showInformation, showWarning } from '../ui/notices.js';
import { withProgress } from '../ui/progress.js';
import { reviewSharing } from './sharingReview.js';
import { reviewTogether } from './exportSeveral.js';
import { fileName, onDisk, type TranscriptExportOptions } from './transcriptExport.js';

/** Which conversations to export as tables, and where to. */
export interface TablesRequest {
  readonly kept: readonly StoredConversation[];
  /** The positions of the records to export of the only conversation, ascending; absent: all. */
  readonly positions?: readonly number[] | undefined;
  /** The folder to make; absent: the person is asked where. */
  readonly folder?: vscode.Uri | undefined;
  /** Whether the person looks over what is left out, as their settings say; absent: they do. */
  readonly isReviewed?: boolean | undefined;
}

/** Exports conversations as Parquet tables into a new folder, with progress and cancel. */
export async function exportAsTables(
  parts: TranscriptExportOptions & { readonly log: Log },
  { kept, positions, folder: given, isReviewed = true }: TablesRequest,
): Promise<void> {
  const folder = given ? onDisk(given) : await chooseFolder(kept);
  await withProgress(words`Exporting as Parquet tables`, async (signal, report) => {
    const targets: TablesTarget[] = [];
    for (const { store, entry } of kept) {
      signal.throwIfAborted();
      const { conversation, title, source, project } = entry;
      await store.settle(conversation);
      targets.push({ target: await store.target(conversation), title, source, project, positions });
    }
    let before = 0;
    // Of several, all is looked over before the first is written.
    const { decided } =
      kept.length > 1
        ? await reviewTogether(parts, kept, { format: 'json', isReviewed }, signal, report)
        : {};
    const review: TablesOnThreadOptions['review'] = async ({ session, title, findings }) => {
      if (decided) return decided;
      report(words`waiting for your review`);
      return await reviewSharing(findings, { title: title ?? '', conversation: session });
    };
    const work = {
      targets,
      folder: folder.fsPath,
      redact: setting('export.redactSecrets'),
      sharing: {
        policy: sharingPolicyOf(editorSettings),
        asks: isReviewed ? setting('sharing.review') : ('never' as const),
      },
      ownPrices: setting('prices.file'),
    };
    const made = await exportTablesOnThread(work, {
      log: parts.log,
      signal,
      review,
      onProgress: ({ sessions, records }) => {
        const many = formatCount(kept.length, 'transcript');
        report(
          words`${sessions.toLocaleString('en')} of ${many}, ${formatCount(records, 'record')}`,
          (100 * (sessions - before)) / kept.length,
        );
        before = sessions;
      },
    });
    tell(made, folder);
  });
}

function tell(made: TablesReport, folder: vscode.Uri): void {
  const { rows, leftOut, unread } = made;
  const secrets = sharedWords(made);
  const what = `${formatCount(rows.messages, 'message')}, ${formatCount(rows.calls, 'tool call')}, ${formatCount(rows.requests, 'request')}`;
  const where = vscode.workspace.asRelativePath(folder);
  const missing = leftOutWords(leftOut, 'parquet');
  void showInformation(words`Exported ${what} to ${where}${secrets}.${missing}`);
  const [first] = unread;
  if (!first) return;
  const many = formatCount(unread.length, 'transcript');
  void showWarning(
    words`${many} could not be read to the end; the table of sessions says which and why. The first: ${first.why}`,
  );
}

/** Asks where the folder is to be; one of its name that is there already is never written to. */
async function chooseFolder(kept: readonly StoredConversation[]): Promise<vscode.Uri> {
  const [place] = chosen(
    await vscode.window.showOpenDialog({
      title: t`Make a Folder of Parquet Tables In`,
      openLabel: t`Export Here`,
      canSelectFiles: false,
      canSelectFolders: true,
    }),
  );
  const parent = onDisk(chosen(place));
  const [only, ...others] = kept;
  const title = only && others.length === 0 ? only.entry.title : 'agent-logbook-tables';
  const taken = new Set(
    (await vscode.workspace.fs.readDirectory(parent)).map(([name]) => name.toLowerCase()),
  );
  for (let number = 1; ; number++) {
    const name = await folderName(number === 1 ? title : `${number} ${title}`);
    if (!taken.has(name.toLowerCase())) return vscode.Uri.joinPath(parent, name);
  }
}

/** A title as the name of a folder. */
async function folderName(title: string): Promise<string> {
  const ending = 'tables';
  return (await fileName(title, ending)).slice(0, -ending.length - 1);
}
