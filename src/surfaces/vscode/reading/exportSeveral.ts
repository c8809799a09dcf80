import { inLanguage, t } from '../../../core/l10n.js';
import * as vscode from 'vscode';
import type { ExportReport } from '../../../export/exportFormat.js';
import { messageOf } from '../../../core/text.js';
import type { StoredConversation } from '../../../app/stores/storedConversation.js';
import { exportIndex, type IndexEntry } from '../../../export/files/exportIndex.js';
import { foundTogether, isAsked, type Finding } from '../../../export/sharing/finding.js';
import { freeFileName } from '../../../store/files/safeFileName.js';
import { setting } from '../settings.js';
import { confirm, showInformation, showWarning } from '../ui/notices.js';
import { plain, words } from '../../../app/text/plainText.js';
import type { Report } from '../../../app/ports/dialogs.js';
import { withProgress } from '../ui/progress.js';
import { chosen } from '../../../app/userError.js';
import { formatCount } from '../../../app/text/format.js';
import { addedUp, leftOutWords, sharedTogether, sharedWords } from '../../../app/transcripts/leftOutWords.js';
import { formatWords } from '../../../app/transcripts/exportFormatWords.js';
import { reviewSharing, type SharedThing } from './sharingReview.js';
import {
  deliverTranscript,
  findingsIn,
  onDisk,
  type TranscriptExportOptions,
  type ExportRequest,
} from './transcriptExport.js';

/** What is the same for all that are exported together. */
type SeveralRequest = Pick<ExportRequest, 'format' | 'withNotes' | 'isReviewed'>;

/** How many editors are opened without confirmation. */
const EDITORS_UNASKED = 5;

/** Exports each conversation into an editor of its own. */
export async function exportIntoEditors(
  options: TranscriptExportOptions,
  kept: readonly StoredConversation[],
  { format, withNotes, isReviewed }: SeveralRequest,
): Promise<void> {
  const label = inLanguage(formatWords[format].label);
  if (kept.length > EDITORS_UNASKED) {
    const question = words`Export ${formatCount(kept.length, 'transcript')} into editors?`;
    const detail = words`Each opens in an editor of its own, as ${label}.`;
    if (!(await confirm(question, detail, t`Export`))) return;
  }
  const made: ExportReport[] = [];
  await withProgress(words`Exporting as ${label}`, async (signal, report) => {
    const reviewed = await reviewTogether(options, kept, { format, withNotes, isReviewed }, signal, report);
    for (const { entry } of kept) {
      signal.throwIfAborted();
      const { conversation } = entry;
      const request = { conversation, format, target: 'editor', withNotes, ...reviewed } as const;
      const written = await deliverTranscript(options, request, signal, partOf(kept, entry.title, report));
      made.push(written.report);
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
  { format, withNotes, isReviewed }: SeveralRequest,
): Promise<void> {
  const { extension } = formatWords[format];
  const label = inLanguage(formatWords[format].label);
  const folder = await chooseFolder(kept.length);
  const taken = new Set(
    (await vscode.workspace.fs.readDirectory(folder)).map(([name]) => name.toLowerCase()),
  );
  const entries: IndexEntry[] = [];
  const made: ExportReport[] = [];
  await withProgress(words`Exporting as ${label}`, async (signal, report) => {
    const reviewed = await reviewTogether(options, kept, { format, withNotes, isReviewed }, signal, report);
    try {
      for (const { entry } of kept) {
        signal.throwIfAborted();
        const { conversation } = entry;
        const file = { folder: folder.fsPath, extension, taken, project: entry.origin?.project ?? '' };
        const request = { conversation, format, target: 'file', file, withNotes, ...reviewed } as const;
        const part = partOf(kept, entry.title, report);
        const { report: written, called } = await deliverTranscript(options, request, signal, part);
        made.push(written);
        if (!called) continue;
        const { name, title, project } = called;
        taken.add(name.toLowerCase());
        const { messages } = written;
        entries.push({ file: name, title, source: entry.origin?.tool ?? '', project, messages });
      }
    } catch (error) {
      // What stands there is listed and told of, also where the person has cancelled or one could not be written.
      if (entries.length > 0)
        await listed().catch((unlisted: unknown) => {
          // What broke it off is what is thrown.
          void showWarning(words`There is no index of what was exported: ${messageOf(unlisted)}`);
        });
      throw error;
    }
    if (entries.length > 0) await listed();
  });

  async function listed(): Promise<void> {
    const isWhole = entries.length === kept.length;
    if (format === 'html' || format === 'markdown') {
      const page = exportIndex(entries, format, { heading: formatCount(entries.length, 'session'), isWhole });
      const index = freeFileName('index', extension, taken);
      await vscode.workspace.fs.writeFile(vscode.Uri.joinPath(folder, index), Buffer.from(page));
    }
    const messages = made.reduce((sum, { messages: each }) => sum + each, 0);
    const missing = leftOutWords(addedUp(made), format);
    const what = `${formatCount(entries.length, 'transcript')} (${formatCount(messages, 'message')})`;
    const where = vscode.workspace.asRelativePath(folder);
    const secrets = sharedWords(sharedTogether(made));
    const ended = isWhole ? '' : t` The export ended before all were written.`;
    void showInformation(words`Exported ${what} to ${where}${secrets}.${ended}${missing}`);
  }
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

/**
 * Lets the person look over what is left out of all that leaves together, once, before any of it does; gives what is to be said of
 * each then. Throws `Cancelled` where they leave.
 */
export async function reviewTogether(
  options: TranscriptExportOptions,
  kept: readonly StoredConversation[],
  request: SeveralRequest,
  signal: AbortSignal,
  report: Report,
): Promise<Pick<ExportRequest, 'isReviewed' | 'decided'>> {
  const asks = request.isReviewed === true ? setting('sharing.review') : 'never';
  if (asks === 'never' || !setting('export.redactSecrets')) return { isReviewed: false };
  const findings = new Map<string, Finding>();
  const places = new Map<string, SharedThing>();
  for (const { entry } of kept) {
    signal.throwIfAborted();
    const { conversation, title } = entry;
    const looked = { ...request, conversation, target: 'editor' } as const;
    for (const each of await findingsIn(options, looked, signal, partOf(kept, title, report, 0))) {
      const before = findings.get(each.value);
      findings.set(each.value, before ? foundTogether(before, each) : each);
      if (!before) places.set(each.value, { title, conversation });
    }
  }
  signal.throwIfAborted();
  const all = [...findings.values()];
  if (!isAsked(asks, all)) return { isReviewed: true, decided: [] };
  report(words`waiting for your review`);
  const thing: SharedThing = {
    title: formatCount(kept.length, 'transcript'),
    standsIn: ({ value }) => places.get(value),
  };
  return { isReviewed: true, decided: await reviewSharing(all, thing) };
}

/** Reports about one of several: each message begins with its title, and it is `all` of its share of the whole. */
function partOf(kept: readonly unknown[], title: string, report: Report, all = 1): Report {
  return (message, increment) =>
    report(
      plain(`${title}: ${message}`),
      increment === undefined ? undefined : (increment * all) / kept.length,
    );
}
