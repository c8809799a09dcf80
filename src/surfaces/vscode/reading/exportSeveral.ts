import { inLanguage, t } from '../../../core/l10n.js';
import * as vscode from 'vscode';
import type { ExportReport } from '../../../export/exportFormat.js';
import type { StoredConversation } from '../../../app/stores/storedConversation.js';
import { exportIndex, type IndexEntry } from '../../../export/files/exportIndex.js';
import { freeFileName } from '../../../store/files/safeFileName.js';
import { sharingPolicyOf } from '../../../app/sharing/sharingSettings.js';
import { features } from '../../../app/features/features.js';
import { editorSettings, setting } from '../settings.js';
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

/**
 * Exports each conversation to a file of its own, all in one folder, with an index page beside those for readers; existing files
 * stay as they are.
 */
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
  const { redactorFor, sharingRules } = await features.redaction();
  const rules = await sharingRules(
    sharingPolicyOf(editorSettings),
    format === 'html' ? 'readers' : undefined,
  );
  const clean = redactorFor(rules);
  const entries: IndexEntry[] = [];
  const made: ExportReport[] = [];
  await withProgress(words`Exporting as ${label}`, async (signal, report) => {
    for (const { entry } of kept) {
      signal.throwIfAborted();
      const title = clean.text(entry.title);
      const name = freeFileName(title, extension, taken);
      const file = vscode.Uri.joinPath(folder, name);
      const request = {
        conversation: entry.conversation,
        format,
        target: 'file',
        file,
        withNotes,
        isReviewed,
      } as const;
      const written = await deliverTranscript(options, request, signal, titled(entry.title, report));
      made.push(written);
      entries.push({
        file: name,
        title: setting('export.redactSecrets') ? title : entry.title,
        source: entry.origin?.tool ?? '',
        project: entry.origin?.project ?? '',
        messages: written.messages,
      });
    }
    if (format !== 'html' && format !== 'markdown') return;
    const page = exportIndex(entries, format, formatCount(entries.length, 'session'));
    const index = freeFileName('index', extension, taken);
    await vscode.workspace.fs.writeFile(vscode.Uri.joinPath(folder, index), Buffer.from(page));
  });
  const messages = made.reduce((sum, report) => sum + report.messages, 0);
  const missing = leftOutWords(addedUp(made), format);
  const what = `${formatCount(kept.length, 'transcript')} (${formatCount(messages, 'message')})`;
  const where = vscode.workspace.asRelativePath(folder);
  const secrets = sharedWords(sharedTogether(made));
  void showInformation(words`Exported ${what} to ${where}${secrets}.${missing}`);
}

async function chooseFolder(count: number): Promise<vscode.Uri> {
  const [workspace] = vscode.workspace.workspaceFolders ?? [];
  const options = {
    // Not where the file in front lies: that may be the folder in which a tool keeps its sessions.
    ...(workspace && { defaultUri: workspace.uri }),
    title: t`Export ${formatCount(count, 'Transcript')} to a Folder`,
    openLabel: t`Export ${count} Here`,
    canSelectFiles: false,
    canSelectFolders: true,
  };
  const [folder] = chosen(await vscode.window.showOpenDialog(options));
  return onDisk(chosen(folder));
}

/** Prefixes each progress message with the transcript's title. */
function titled(title: string, report: Report): Report {
  return (message, increment) => report(plain(`${title}: ${message}`), increment);
}
