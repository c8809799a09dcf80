import { TO_STORE } from '../../../search/reader/importCalls.js';
import { t } from '../../../core/l10n.js';
import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { FileOnThread, ImportThread } from '../../../search/reader/importThread.js';
import type { Log } from '../../../core/ports/log.js';
import type { Stores } from '../../../app/services/stores.js';
import { showWarning } from '../ui/notices.js';
import { words } from '../../../app/text/plainText.js';
import { UserError } from '../../../app/userError.js';
import { features } from '../../../app/features/features.js';
import { formatCount } from '../../../app/text/format.js';
import { showText } from '../ui/clipboard.js';
import { workingFolder } from '../workspaceFolders.js';
import type { ImportOutcome } from '../../../store/write/importSession.js';
import type { ImportReport } from '../../../store/files/importReport.js';
import { importIntoStore, importReportOf } from '../../../app/stores/importIntoStore.js';

/** Stores one conversation of a file that was read. Rejects with `Cancelled`, and where it cannot be stored. */
export type StoreConversation = () => Promise<ImportOutcome>;

/** What reading files needs besides. */
export interface ReadingContext {
  readonly stores: Stores;
  readonly thread: ImportThread;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Called now and then with how much of a large file is done, from 0 to 1. */
  readonly onProgress: (done: number) => void;
  /** Gets the paths of further files that were read with one. */
  readonly readWith: Set<string>;
}

/**
 * Reads one file of another tool; gives for each of its conversations what stores it, so that the caller decides how many
 * are stored at once.
 */
export async function* readTranscriptFile(
  file: vscode.Uri,
  { stores, thread, log, signal, onProgress, readWith }: ReadingContext,
): AsyncGenerator<StoreConversation> {
  const name = nameOfFile(file);
  await requireFile(file, name);
  const result = await thread.read(file.fsPath, signal, onProgress, TO_STORE);
  reportProblems(result, name, log);
  const parts = [result.path, ...result.readWith];
  const isRead = result.path !== file.fsPath && readWith.has(result.path);
  for (const path of parts) readWith.add(path);
  if (isRead) {
    result.close();
    return;
  }
  const kept = result.conversations.filter(({ length }) => length > 0);
  // Even of a file that is not a transcript, every line is kept as something unknown.
  if (!kept.some(({ hasMessage }) => hasMessage)) {
    result.close();
    throw new UserError(t`${name} holds no conversation that could be read.`);
  }
  const report = importReportOf(result, kept);
  if (report.problemCount > 0) void reportMissed(name, report);
  const { store } = await stores.storeFor(workingFolder(file.fsPath));
  let left = kept.length;
  for (const conversation of kept) {
    yield async () => {
      try {
        const outcome = await importIntoStore(store, conversation, report, signal);
        reportOutcome(outcome, name, conversation.id, log);
        return outcome;
      } finally {
        if (--left === 0) result.close();
      }
    };
  }
}

/** The workspace-relative path of a file, or the name of a file outside of the workspace. */
export function nameOfFile(file: vscode.Uri): string {
  return vscode.workspace.getWorkspaceFolder(file)
    ? vscode.workspace.asRelativePath(file)
    : basename(file.fsPath);
}

async function requireFile(file: vscode.Uri, name: string): Promise<void> {
  if (file.scheme !== 'file')
    throw new UserError(
      t`${file.toString()} is no file on a disk of this machine; only those can be imported.`,
    );
  if ((await vscode.workspace.fs.stat(file)).type & vscode.FileType.Directory)
    throw new UserError(t`${name} is a folder; a transcript is a file.`);
}

function reportOutcome({ kind, added }: ImportOutcome, name: string, session: string, log: Log): void {
  const what = {
    new: undefined,
    unchanged: t`is here already, unchanged`,
    grown: t`has grown: ${formatCount(added, 'record')} were added to its conversation`,
    changed: t`has changed other than by growing: it is a new version, and the one before is kept`,
    reread: t`was read anew, as this version reads more of such files: it is a new version, and the one before is kept`,
    namesake: t`has the id of another session, with which it has nothing in common: they are two conversations`,
  }[kind];
  if (what !== undefined) log.info(`${name}: the session ${session} ${what}.`);
}

async function reportMissed(name: string, report: ImportReport): Promise<void> {
  const missed = words`${name}: ${formatCount(report.problemCount, 'place')} could not be understood.`;
  const button = t`Show Report`;
  if ((await showWarning(missed, button)) !== button) return;
  const { fileReportText } = await features.transcripts();
  await showText(fileReportText(report), 'plaintext');
}

function reportProblems({ problems }: FileOnThread, name: string, log: Log): void {
  for (const { severity, message, line } of problems) {
    const place = line === undefined ? name : `${name}:${line}`;
    log[severity === 'error' ? 'error' : 'warn'](`${place}: ${message}`);
  }
}
