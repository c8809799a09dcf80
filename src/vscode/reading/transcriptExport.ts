import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as vscode from 'vscode';
import type { ExportReport, TextFormat } from '../../export/exportFormat.js';
import type { ExportTarget } from '../../panel/ports.js';
import type { Logbooks } from '../logbooks.js';
import { showInformation } from '../notices.js';
import { setting } from '../settings.js';
import { Cancelled, chosen, UserError } from '../userError.js';
import { formatCount } from '../views/format.js';
import type { SharedTokens } from './sharedTokens.js';
import { wholeRecords } from './wholeRecords.js';

export interface ExportParts {
  readonly logbooks: Logbooks;
  readonly tokens: SharedTokens;
}

export interface ExportRequest {
  readonly conversation: string;
  readonly format: TextFormat;
  /** Of the records to export, ascending; all where left out. */
  readonly positions?: readonly number[] | undefined;
  readonly target: ExportTarget;
}

interface FormatWords {
  readonly label: string;
  readonly language: string;
  readonly extension: string;
}

/** How each format is called, shown in an editor and named as a file. */
export const formatWords: Readonly<Record<TextFormat, FormatWords>> = {
  markdown: { label: 'Markdown', language: 'markdown', extension: 'md' },
  json: { label: 'JSON', language: 'json', extension: 'json' },
  csv: { label: 'CSV', language: 'csv', extension: 'csv' },
  html: { label: 'HTML page', language: 'html', extension: 'html' },
};

/** The formats that say how many tokens each message has. */
const COUNTED: ReadonlySet<TextFormat> = new Set(['json', 'csv']);

/** More than VS Code's editors like to hold, in UTF-16 code units. */
const EDITOR_LIMIT = 50_000_000;

/** Exports a transcript into an editor, a file or the clipboard, with progress and cancel. */
export async function exportTranscript(
  { logbooks, tokens }: ExportParts,
  request: ExportRequest,
): Promise<void> {
  const { store, entry } = await logbooks.find(request.conversation);
  const words = formatWords[request.format];
  const file = request.target === 'file' ? await chooseFile(entry.title, words) : undefined;
  const location = vscode.ProgressLocation.Notification;
  const options = { location, title: `Exporting as ${words.label}`, cancellable: true };
  await vscode.window.withProgress(options, async (_progress, token) => {
    const controller = new AbortController();
    token.onCancellationRequested(() => controller.abort());
    const transcript = await store.openTranscript(request.conversation);
    try {
      let report: ExportReport = { messages: 0, redacted: 0 };
      const { exportChunks } = await import('../../export/exportMessages.js');
      const whole = wholeRecords(transcript, request.positions, controller.signal);
      const { records, counter } = tokens.counted(whole, controller.signal);
      const chunks = exportChunks(COUNTED.has(request.format) ? records : whole, request.format, {
        tokenCounter: counter,
        redact: setting('export.redactSecrets'),
        includeMetadata: true,
        isSubset: request.positions !== undefined,
        title: entry.title,
        onReport: (made) => (report = made),
      });
      await deliver(chunks, request.target, words, file, controller.signal);
      tell(report, file);
    } finally {
      await transcript.close();
    }
  });
}

async function deliver(
  chunks: AsyncIterable<string>,
  target: ExportTarget,
  words: FormatWords,
  file: vscode.Uri | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (file) {
    await writeWhole(file.fsPath, chunks, signal);
    return;
  }
  const content = await joined(chunks, signal);
  if (target === 'clipboard') {
    await vscode.env.clipboard.writeText(content);
    return;
  }
  const languages = await vscode.languages.getLanguages();
  const language = languages.includes(words.language) ? words.language : 'plaintext';
  const document = await vscode.workspace.openTextDocument({ content, language });
  await vscode.window.showTextDocument(document, { preview: false });
}

async function joined(chunks: AsyncIterable<string>, signal: AbortSignal): Promise<string> {
  const parts: string[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    if (signal.aborted) throw new Cancelled();
    length += chunk.length;
    if (length > EDITOR_LIMIT)
      throw new UserError('This is too large for an editor. Export it to a file instead.');
    parts.push(chunk);
  }
  if (signal.aborted) throw new Cancelled();
  return parts.join('');
}

/** The file appears when it is complete; what was there before stays until then. */
async function writeWhole(path: string, chunks: AsyncIterable<string>, signal: AbortSignal): Promise<void> {
  const unfinished = `${path}.${process.pid}.part`;
  try {
    await pipeline(Readable.from(chunks), createWriteStream(unfinished), { signal });
    if (signal.aborted) throw new Cancelled();
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw signal.aborted ? new Cancelled() : error;
  }
}

async function chooseFile(title: string, { label, extension }: FormatWords): Promise<vscode.Uri> {
  const name =
    title
      .replace(/[^\p{L}\p{N} _-]+/gu, ' ')
      .trim()
      .slice(0, 60) || 'transcript';
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const uri = chosen(
    await vscode.window.showSaveDialog({
      title: `Export as ${label}`,
      filters: { [label]: [extension] },
      ...(folder && { defaultUri: vscode.Uri.joinPath(folder, `${name}.${extension}`) }),
    }),
  );
  if (uri.scheme !== 'file') throw new UserError('Exports can be written to a disk of this machine only.');
  return uri;
}

function tell({ messages, redacted }: ExportReport, file: vscode.Uri | undefined): void {
  const secrets = redacted > 0 ? `; ${formatCount(redacted, 'secret')} left out` : '';
  const where = file ? ` to ${vscode.workspace.asRelativePath(file)}` : '';
  if (!file && redacted === 0) return;
  void showInformation(`Exported ${formatCount(messages, 'message')}${where}${secrets}.`);
}
