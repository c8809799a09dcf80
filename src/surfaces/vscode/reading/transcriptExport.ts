import * as vscode from 'vscode';
import { inLanguage, t } from '../../../core/l10n.js';
import type { ExportReport, LivingLines, ResumedSession } from '../../../export/exportFormat.js';
import type { ExportTarget } from '../../../page/panel/ports.js';
import type { FileFormat } from '../../../core/ports/exportFormats.js';
import type { Finding } from '../../../export/sharing/finding.js';
import { freeFileName } from '../../../store/files/safeFileName.js';
import type {
  ExportCalled,
  ExportMade,
  ExportWork,
  FileInFolder,
  SharingWork,
} from '../../../search/reader/exportRecords.js';
import type { ExportOptions } from '../../../search/reader/readerThread.js';
import type { WindowReader } from '../../../search/reader/windowReader.js';
import type { Stores } from '../../../app/services/stores.js';
import type { StoredConversation } from '../../../app/stores/storedConversation.js';
import type { Delivered } from '../../../page/protocol/requests.js';
import { copyText, showText } from '../ui/clipboard.js';
import { words, type PlainText } from '../../../app/text/plainText.js';
import type { Report } from '../../../app/ports/dialogs.js';
import { withProgress } from '../ui/progress.js';
import { editorSettings, setting } from '../settings.js';
import { sharingPolicyOf } from '../../../app/sharing/sharingSettings.js';
import {
  leftOutWords,
  NAMED_IN_NOTICE,
  sharedWords,
  leftOutLines,
} from '../../../app/transcripts/leftOutWords.js';
import { reviewSharing } from './sharingReview.js';
import { chosen, UserError } from '../../../app/userError.js';
import { formatCount } from '../../../app/text/format.js';
import { formatWords, TELLS_KEPT, type FormatWords } from '../../../app/transcripts/exportFormatWords.js';
import type { SharedTokens } from '../../../app/services/sharedTokens.js';
import { withTranscript } from '../../../app/transcripts/withTranscript.js';
import { features } from '../../../app/features/features.js';
import { showInformation } from '../ui/notices.js';

/** What an export needs. */
export interface TranscriptExportOptions {
  readonly stores: Stores;
  readonly reader: Pick<WindowReader, 'export'>;
  readonly tokens: SharedTokens;
  /** How many lines of a conversation still stand; left out, no export tells it. Rejects with the signal's reason alone. */
  readonly keptLines?: (conversation: string, signal: AbortSignal) => Promise<LivingLines | undefined>;
}

/** What to export, and where to. */
export interface ExportRequest {
  readonly conversation: string;
  readonly format: FileFormat;
  /** The positions of the records to export, ascending; absent: all. */
  readonly positions?: readonly number[] | undefined;
  readonly target: ExportTarget;
  /** Whether what the person has noted is exported too. */
  readonly withNotes?: boolean | undefined;
  /** Whether the person looks over what is left out, as their settings say; absent: those settings alone decide. */
  readonly isReviewed?: boolean | undefined;
  /** What the person has decided already, of this and of others that leave with it; absent: they are asked. */
  readonly decided?: SharingWork['decided'];
  /** The session of another tool that it becomes; absent: one without a folder. */
  readonly session?: ResumedSession | undefined;
  /** The file, for the target `file`; absent: the person is asked. */
  readonly file?: vscode.Uri | undefined;
  /** Whether the folder of the file is made, once the person has agreed to share anything. */
  readonly makesFolder?: boolean | undefined;
}

/** The same, once it is known where to. */
export interface DeliveryRequest extends Omit<ExportRequest, 'file'> {
  /** The path of the file, or the folder in which it is called by its title; absent where the target is none. */
  readonly file?: string | FileInFolder | undefined;
}

/** Exports a transcript into an editor, a file or the clipboard, with progress and cancel. */
export async function exportTranscript(
  options: TranscriptExportOptions,
  request: ExportRequest,
): Promise<Delivered> {
  const { entry } = await options.stores.find(request.conversation);
  const format = formatWords[request.format];
  const { target, file: place } = request;
  const file = target === 'file' ? onDisk(place ?? (await chooseFile(entry.title, format))) : undefined;
  return await withProgress(words`Exporting as ${inLanguage(format.label)}`, async (signal, report) => {
    const work = { ...request, file: file?.fsPath };
    const { report: made } = await deliverTranscript(options, work, signal, report);
    const isTold = file !== undefined || made.redacted > 0 || Boolean(made.leftIn) || Boolean(made.leftOut);
    if (isTold) void tell(made, file, request.format);
    return { isTold };
  });
}

/** What was written, and what it is called where it is a file. */
export interface Exported {
  readonly report: ExportReport;
  readonly called?: ExportCalled;
}

/** Writes a transcript to the request's file or target; a person looks over what is left out, unless they did. */
export async function deliverTranscript(
  options: TranscriptExportOptions,
  request: DeliveryRequest,
  signal: AbortSignal,
  report: Report,
): Promise<Exported> {
  const { conversation, format, target, decided } = request;
  const exporting = await exporter(options, request, signal, report);
  let made = await exporting({ decided });
  while (made.kind === 'findings') {
    report(words`waiting for your review`);
    const { title } = (await options.stores.find(conversation)).entry;
    made = await exporting({ decided: await reviewSharing(made.findings, { title, conversation }) });
  }
  // A file that stands there is told of, also where somebody has just cancelled.
  if (made.kind === 'file') return { report: made.report, called: made };
  signal.throwIfAborted();
  if (made.kind === 'tooLarge')
    throw new UserError(t`This is too large for an editor. Export it to a file instead.`);
  const { language } = formatWords[format];
  if (target === 'clipboard') await copyText(made.text, language.startsWith('json') ? 'json' : 'text');
  else await showText(made.text, language);
  return { report: made.report };
}

/** What would be left out of a transcript, without writing anything. */
export async function findingsIn(
  options: TranscriptExportOptions,
  request: DeliveryRequest,
  signal: AbortSignal,
  report: Report,
): Promise<readonly Finding[]> {
  const exporting = await exporter(options, request, signal, report);
  const made = await exporting({ asks: 'always' });
  return made.kind === 'findings' ? made.findings : [];
}

/** How a transcript is exported, again with what a person has decided meanwhile. */
async function exporter(
  options: TranscriptExportOptions,
  {
    conversation,
    format,
    positions,
    file,
    withNotes = false,
    isReviewed = false,
    ...request
  }: DeliveryRequest,
  signal: AbortSignal,
  report: Report,
): Promise<(sharing: Partial<SharingWork>) => Promise<ExportMade>> {
  const found = await options.stores.find(conversation);
  const { notes } = withNotes ? await found.store.notes(conversation) : { notes: undefined };
  const policy = sharingPolicyOf(editorSettings);
  const asks = isReviewed ? setting('sharing.review') : 'never';
  const isTold = positions === undefined && TELLS_KEPT.has(format);
  const kept = isTold ? await options.keptLines?.(conversation, signal) : undefined;
  const work: ExportWork = {
    format,
    positions,
    file,
    redact: setting('export.redactSecrets'),
    title: found.entry.title,
    kept,
    ownPrices: setting('prices.file'),
    notes,
    session: request.session,
    makesFolder: request.makesFolder,
  };
  const how = { signal, onProgress: progressWords(report) };
  return (sharing) => exportFrom(options, found, { ...work, sharing: { policy, asks, ...sharing } }, how);
}

/** Exports on the reader's thread; on this one what that cannot: records that may still be in memory only. */
async function exportFrom(
  { reader, tokens }: TranscriptExportOptions,
  { store, entry: { conversation } }: StoredConversation,
  work: ExportWork,
  options: ExportOptions,
): Promise<ExportMade> {
  const beside = store.isOpen(conversation)
    ? undefined
    : await reader.export(store, conversation, work, options);
  if (beside) return beside;
  const { exportRecords } = await features.exporting();
  const { loadUsablePrices } = await features.pricing();
  return withTranscript(store, conversation, (transcript) =>
    exportRecords(transcript, work, {
      loadPrices: loadUsablePrices,
      counted: (records, signal) => tokens.counted(records, signal),
      ...options,
    }),
  );
}

/** Tells a person how far an export is. */
function progressWords(report: Report): ExportOptions['onProgress'] {
  let before = 0;
  return (read, all) => {
    // Records are looked through and then written, so that their number would tell nobody how far this is.
    report(words`${Math.floor((100 * read) / all)}%`, (100 * (read - before)) / all);
    before = read;
  };
}

async function chooseFile(title: string, { label: name, extension }: FormatWords): Promise<vscode.Uri> {
  const label = inLanguage(name);
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const file = await fileName(title, extension);
  return chosen(
    await vscode.window.showSaveDialog({
      title: t`Export as ${label}`,
      filters: { [label]: [extension] },
      ...(folder && { defaultUri: vscode.Uri.joinPath(folder, file) }),
    }),
  );
}

/** A file name made of a title, always without secrets, because nobody expects them there. */
export async function fileName(title: string, extension: string): Promise<string> {
  const { redactorFor, sharingRules } = await features.redaction();
  const clean = redactorFor(await sharingRules(sharingPolicyOf(editorSettings))).text(title);
  return freeFileName(clean, extension, new Set());
}

/** The URI, which must be that of a file on this machine; throws an error for a person where it is not. */
export function onDisk(uri: vscode.Uri): vscode.Uri {
  if (uri.scheme !== 'file') throw new UserError(t`Exports can be written to a disk of this machine only.`);
  return uri;
}

async function tell(made: ExportReport, file: vscode.Uri | undefined, format: FileFormat): Promise<void> {
  const { messages, leftOut } = made;
  const secrets = sharedWords(made);
  const where = file ? ` to ${vscode.workspace.asRelativePath(file)}` : '';
  const missing = leftOutWords(leftOut, format, NAMED_IN_NOTICE);
  await tellExported(
    words`Exported ${formatCount(messages, 'message')}${where}${secrets}.${missing}`,
    leftOut,
  );
}

/**
 * Tells what came of an export; where more was left out than the notice names, a last button shows all of it. Resolves with
 * the other button that was pressed.
 */
export async function tellExported(
  told: PlainText,
  leftOut: ExportReport['leftOut'],
  [first, second]: readonly [string?, string?] = [],
): Promise<string | undefined> {
  const all = leftOutLines(leftOut);
  const showAll = t`Show All`;
  const last = all.length > NAMED_IN_NOTICE ? showAll : undefined;
  const pressed = await showInformation(told, ...[first, second, last].filter((each) => each !== undefined));
  if (pressed !== showAll) return pressed;
  await showText(`${all.join('\n')}\n`, 'plaintext');
  return undefined;
}
