import * as vscode from 'vscode';
import type { ExportOptions, ExportReport } from '../../export/exportFormat.js';
import type { ExportTarget } from '../../panel/ports.js';
import type { ExportFormat } from '../../ports/exportFormats.js';
import { titleFileName } from '../../store/files/safeFileName.js';
import type { Stores } from '../../app/stores/stores.js';
import { showInformation } from '../surfaces/notices.js';
import { copyText } from '../surfaces/clipboard.js';
import { words } from '../../app/text/plainText.js';
import type { Report } from '../../app/ports/dialogs.js';
import { withProgress } from '../surfaces/progress.js';
import { setting } from '../settings.js';
import { chosen, UserError } from '../../app/userError.js';
import { formatCount } from '../../app/text/format.js';
import { leftOutWords } from '../../app/transcripts/leftOutWords.js';
import { formatWords, type FormatWords } from '../../app/transcripts/exportFormatWords.js';
import type { SharedTokens } from '../../app/transcripts/sharedTokens.js';
import { wholeRecords } from '../../app/transcripts/wholeRecords.js';
import { withTranscript } from '../../app/transcripts/withTranscript.js';

/** What an export needs. */
export interface ExportParts {
  readonly stores: Stores;
  readonly tokens: SharedTokens;
}

/** What to export, and where to. */
export interface ExportRequest {
  readonly conversation: string;
  readonly format: ExportFormat;
  /** The positions of the records to export, ascending; absent: all. */
  readonly positions?: readonly number[] | undefined;
  readonly target: ExportTarget;
  /** The file, for the target `file`; absent: the person is asked. */
  readonly file?: vscode.Uri | undefined;
}

/** The formats with a token count for each message. */
const COUNTED: ReadonlySet<ExportFormat> = new Set(['json', 'csv', 'dict']);

/** The longest text for an editor, in UTF-16 code units; VS Code handles longer ones badly. */
const EDITOR_LIMIT = 50_000_000;

/** How many records are exported between two progress reports. */
const TOLD_EVERY = 500;

/** Exports a transcript into an editor, a file or the clipboard, with progress and cancel. */
export async function exportTranscript(parts: ExportParts, request: ExportRequest): Promise<void> {
  const { entry } = await parts.stores.find(request.conversation);
  const format = formatWords[request.format];
  const { target, file: place } = request;
  const file = target === 'file' ? onDisk(place ?? (await chooseFile(entry.title, format))) : undefined;
  await withProgress(words`Exporting as ${format.label}`, async (signal, report) => {
    tell(await deliverTranscript(parts, { ...request, file }, signal, report), file, request.format);
  });
}

/** Writes a transcript to the request's file or target, and tells the person what was written. */
export async function deliverTranscript(
  { stores, tokens }: ExportParts,
  { conversation, format, positions, target, file }: ExportRequest,
  signal: AbortSignal,
  report: Report,
): Promise<ExportReport> {
  const { store, entry } = await stores.find(conversation);
  return withTranscript(store, conversation, (transcript) => {
    const whole = wholeRecords(transcript, positions, signal);
    const { records, counter } = tokens.counted(whole, signal);
    const read = COUNTED.has(format) ? records : whole;
    const told = withReports(read, positions?.length ?? transcript.length, report);
    return write(told, format, target, file, signal, {
      tokenCounter: counter,
      redact: setting('export.redactSecrets'),
      includeMetadata: true,
      full: true,
      isSubset: positions !== undefined,
      title: entry.title,
    });
  });
}

async function write(
  records: AsyncIterable<unknown>,
  format: ExportFormat,
  target: ExportTarget,
  file: vscode.Uri | undefined,
  signal: AbortSignal,
  options: ExportOptions,
): Promise<ExportReport> {
  if (file) {
    const { exportToFile } = await import('../../export/exportFile.js');
    return exportToFile(records, format, file.fsPath, { ...options, signal, overwrite: true });
  }
  let report: ExportReport = { messages: 0, redacted: 0 };
  const { exportChunks } = await import('../../export/exportMessages.js');
  const chunks = exportChunks(records, format, { ...options, onReport: (made) => (report = made) });
  const content = await joined(chunks, signal);
  if (target === 'clipboard')
    await copyText(content, formatWords[format].language === 'json' ? 'json' : 'text');
  else await showText(content, formatWords[format].language);
  return report;
}

/** Passes records on, and reports from time to time how many of `all` have passed. */
async function* withReports<T>(
  records: AsyncIterable<T>,
  all: number,
  report: Report,
): AsyncGenerator<T, void, undefined> {
  let passed = 0;
  for await (const record of records) {
    yield record;
    if (++passed % TOLD_EVERY > 0) continue;
    report(words`${passed.toLocaleString('en')} of ${formatCount(all, 'record')}`, (100 * TOLD_EVERY) / all);
  }
}

/** Shows a text in an untitled editor; `language` is a VS Code language id, ignored where VS Code does not have it. */
export async function showText(content: string, language: string): Promise<void> {
  const languages = await vscode.languages.getLanguages();
  const known = languages.includes(language) ? language : 'plaintext';
  const document = await vscode.workspace.openTextDocument({ content, language: known });
  await vscode.window.showTextDocument(document, { preview: false });
}

async function joined(chunks: AsyncIterable<string>, signal: AbortSignal): Promise<string> {
  const parts: string[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    signal.throwIfAborted();
    length += chunk.length;
    if (length > EDITOR_LIMIT)
      throw new UserError('This is too large for an editor. Export it to a file instead.');
    parts.push(chunk);
  }
  signal.throwIfAborted();
  return parts.join('');
}

async function chooseFile(title: string, { label, extension }: FormatWords): Promise<vscode.Uri> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const name = await fileName(title, extension);
  return chosen(
    await vscode.window.showSaveDialog({
      title: `Export as ${label}`,
      filters: { [label]: [extension] },
      ...(folder && { defaultUri: vscode.Uri.joinPath(folder, name) }),
    }),
  );
}

/** A file name made of a title, always without secrets, because nobody expects them there. */
export async function fileName(title: string, extension: string): Promise<string> {
  const { Redactor } = await import('../../export/redact.js');
  return titleFileName(new Redactor().text(title), extension, 'transcript');
}

/** The URI, which must be that of a file on this machine; throws an error for a person where it is not. */
export function onDisk(uri: vscode.Uri): vscode.Uri {
  if (uri.scheme !== 'file') throw new UserError('Exports can be written to a disk of this machine only.');
  return uri;
}

function tell(made: ExportReport, file: vscode.Uri | undefined, format: ExportFormat): void {
  const { messages, redacted, leftOut } = made;
  if (!file && redacted === 0 && !leftOut) return;
  const secrets = redacted > 0 ? `; ${formatCount(redacted, 'secret')} left out` : '';
  const where = file ? ` to ${vscode.workspace.asRelativePath(file)}` : '';
  const missing = leftOutWords(leftOut, format);
  void showInformation(words`Exported ${formatCount(messages, 'message')}${where}${secrets}.${missing}`);
}
