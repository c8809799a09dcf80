import { inLanguage, t } from '../../../core/l10n.js';
import * as vscode from 'vscode';
import type { ExportReport } from '../../../export/exportFormat.js';
import type { StoredConversation } from '../../../app/stores/storedConversation.js';
import { confirm, showInformation } from '../ui/notices.js';
import { plain, words } from '../../../app/text/plainText.js';
import type { Report } from '../../../app/ports/dialogs.js';
import { withProgress } from '../ui/progress.js';
import { chosen } from '../../../app/userError.js';
import { formatCount } from '../../../app/text/format.js';
import { addedUp, leftOutWords, sharedTogether, sharedWords } from '../../../app/transcripts/leftOutWords.js';
import { formatWords } from '../../../app/transcripts/exportFormatWords.js';
import {
  deliverTranscript,
  fileName,
  onDisk,
  type TranscriptExportOptions,
  type ExportRequest,
} from './transcriptExport.js';

/** How many editors are opened without confirmation. */
const EDITORS_UNASKED = 5;

/** Exports each conversation into an editor of its own. */
export async function exportIntoEditors(
  options: TranscriptExportOptions,
  kept: readonly StoredConversation[],
  { format, withNotes, isReviewed }: Pick<ExportRequest, 'format' | 'withNotes' | 'isReviewed'>,
): Promise<void> {
  const label = inLanguage(formatWords[format].label);
  if (kept.length > EDITORS_UNASKED) {
    const question = words`Export ${formatCount(kept.length, 'transcript')} into editors?`;
    const detail = words`Each opens in an editor of its own, as ${label}.`;
    if (!(await confirm(question, detail, t`Export`))) return;
  }
  const made: ExportReport[] = [];
  await withProgress(words`Exporting as ${label}`, async (signal, report) => {
    for (const { entry } of kept) {
      signal.throwIfAborted();
      const request = {
        conversation: entry.conversation,
        format,
        target: 'editor',
        withNotes,
        isReviewed,
      } as const;
      made.push(await deliverTranscript(options, request, signal, titled(entry.title, report)));
    }
  });
  const missing = leftOutWords(addedUp(made), format);
  const secrets = sharedWords(sharedTogether(made));
  if (missing !== '' || secrets !== '')
    void showInformation(words`Exported ${formatCount(kept.length, 'transcript')}${secrets}.${missing}`);
}

/** Exports each conversation to a file of its own, all in one folder; existing files stay as they are. */
export async function exportIntoFolder(
  options: TranscriptExportOptions,
  kept: readonly StoredConversation[],
  { format, withNotes, isReviewed }: Pick<ExportRequest, 'format' | 'withNotes' | 'isReviewed'>,
): Promise<void> {
  const { extension } = formatWords[format];
  const label = inLanguage(formatWords[format].label);
  const folder = await chooseFolder(kept.length);
  const taken = new Set(
    (await vscode.workspace.fs.readDirectory(folder)).map(([name]) => name.toLowerCase()),
  );
  const made: ExportReport[] = [];
  await withProgress(words`Exporting as ${label}`, async (signal, report) => {
    for (const { entry } of kept) {
      signal.throwIfAborted();
      const file = vscode.Uri.joinPath(folder, await freeName(entry.title, extension, taken));
      const request = {
        conversation: entry.conversation,
        format,
        target: 'file',
        file,
        withNotes,
        isReviewed,
      } as const;
      made.push(await deliverTranscript(options, request, signal, titled(entry.title, report)));
    }
  });
  const messages = made.reduce((sum, report) => sum + report.messages, 0);
  const missing = leftOutWords(addedUp(made), format);
  const what = `${formatCount(kept.length, 'transcript')} (${formatCount(messages, 'message')})`;
  const where = vscode.workspace.asRelativePath(folder);
  const secrets = sharedWords(sharedTogether(made));
  void showInformation(words`Exported ${what} to ${where}${secrets}.${missing}`);
}

async function chooseFolder(count: number): Promise<vscode.Uri> {
  const options = {
    title: t`Export ${formatCount(count, 'Transcript')} to a Folder`,
    openLabel: t`Export ${count} Here`,
    canSelectFiles: false,
    canSelectFolders: true,
  };
  const [folder] = chosen(await vscode.window.showOpenDialog(options));
  return onDisk(chosen(folder));
}

/** Reserves an unused file name made of the title. */
async function freeName(title: string, extension: string, taken: Set<string>): Promise<string> {
  for (let number = 1; ; number++) {
    const name = await fileName(number === 1 ? title : `${number} ${title}`, extension);
    if (taken.has(name.toLowerCase())) continue;
    taken.add(name.toLowerCase());
    return name;
  }
}

/** Prefixes each progress message with the transcript's title. */
function titled(title: string, report: Report): Report {
  return (message, increment) => report(plain(`${title}: ${message}`), increment);
}
