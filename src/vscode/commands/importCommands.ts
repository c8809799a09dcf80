import { basename } from 'node:path';
import * as vscode from 'vscode';
import { messageOf } from '../../core/text.js';
import type { Log } from '../../ports/log.js';
import type { Logbooks } from '../logbooks.js';
import { commandName } from '../manifest.js';
import { showInformation, showWarning } from '../notices.js';
import { withProgress } from '../progress.js';
import { importIntoLogbook } from '../reading/importIntoLogbook.js';
import { Cancelled, chosen, UserError } from '../userError.js';
import { formatCount } from '../views/format.js';
import { workingFolder } from '../workspaceFolders.js';

/** The command that takes other tools' transcripts into the logbook; given files, it does not ask for any. */
export function importCommands(logbooks: Logbooks, log: Log) {
  return {
    async importTranscript(argument?: unknown) {
      const files = Array.isArray(argument) ? (argument as vscode.Uri[]) : await chooseFiles();
      const conversations: string[] = [];
      const failures: string[] = [];
      try {
        await withProgress('Importing transcripts', async (signal, report) => {
          for (const file of files) {
            report(nameOf(file));
            try {
              for await (const conversation of importOne(file, signal)) conversations.push(conversation);
            } catch (error) {
              if (signal.aborted) throw new Cancelled();
              // One that cannot be read keeps none of the others out.
              failures.push(wordsFor(file, error));
            }
          }
        });
      } finally {
        // Who presses Cancel keeps what is imported by then.
        void tellImported(conversations);
      }
      if (failures.length === 0) return;
      if (files.length === 1) throw new UserError(failures.join());
      throw new UserError(
        `${failures.length} of ${files.length} files were not imported. ${failures.join(' ')}`,
      );
    },
  };

  function wordsFor(file: vscode.Uri, error: unknown): string {
    if (error instanceof UserError) return error.message;
    log.error(`${nameOf(file)} cannot be imported`, error);
    return `${nameOf(file)} cannot be read: ${messageOf(error)}.`;
  }

  /** Gives each conversation of the file once it is kept. */
  async function* importOne(file: vscode.Uri, signal: AbortSignal): AsyncGenerator<string> {
    if (file.scheme !== 'file')
      throw new UserError(
        `${file.toString()} is no file on a disk of this machine; only those can be imported.`,
      );
    if ((await vscode.workspace.fs.stat(file)).type & vscode.FileType.Directory)
      throw new UserError(`${nameOf(file)} is a folder; a transcript is a file.`);
    const { importFile } = await import('../../import/importFile.js');
    const name = nameOf(file);
    const result = await importFile(file.fsPath, { signal });
    for (const { severity, message, line } of result.problems) {
      log[severity === 'error' ? 'error' : 'warn'](
        `${name}${line === undefined ? '' : `:${line}`}: ${message}`,
      );
    }
    const kept = result.conversations.filter(({ records }) => records.length > 0);
    // Of what is no transcript at all, too, every line is kept as something unknown.
    const isRead = kept.some(({ records }) => records.some(({ type }) => type === 'message'));
    if (!isRead) throw new UserError(`${name} holds no conversation that could be read. The log says why.`);
    if (result.problems.length > 0) {
      void showWarning(
        `${name}: ${formatCount(result.problems.length, 'place')} could not be understood; see the log.`,
      );
    }
    const { store } = await logbooks.storeFor(workingFolder(file.fsPath));
    for (const conversation of kept) yield await importIntoLogbook(store, conversation, signal);
  }
}

async function chooseFiles(): Promise<readonly vscode.Uri[]> {
  return chosen(
    await vscode.window.showOpenDialog({
      title: 'Import Transcript',
      openLabel: 'Import',
      canSelectMany: true,
      filters: { Transcripts: ['jsonl', 'json', 'traj', 'eval', 'zip', 'log'], 'All files': ['*'] },
    }),
  );
}

/** Of a file of the workspace its place there, of any other its name. */
function nameOf(file: vscode.Uri): string {
  return vscode.workspace.getWorkspaceFolder(file)
    ? vscode.workspace.asRelativePath(file)
    : basename(file.fsPath);
}

async function tellImported(conversations: readonly string[]): Promise<void> {
  const [first] = conversations;
  if (first === undefined) return;
  const open = 'Open Transcript';
  const pressed = await showInformation(
    `Imported ${formatCount(conversations.length, 'conversation')}.`,
    open,
  );
  if (pressed === open)
    await vscode.commands.executeCommand(commandName('openTranscript'), { conversation: first });
}
