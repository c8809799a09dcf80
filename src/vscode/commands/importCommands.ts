import * as vscode from 'vscode';
import type { Log } from '../../ports/log.js';
import type { Logbooks } from '../logbooks.js';
import { commandName } from '../manifest.js';
import { showInformation, showWarning } from '../notices.js';
import { withProgress } from '../progress.js';
import { importIntoLogbook } from '../reading/importIntoLogbook.js';
import { chosen, UserError } from '../userError.js';
import { formatCount } from '../views/format.js';
import { workingFolder } from '../workspaceFolders.js';

/** The command that takes other tools' transcripts into the logbook; given files, it does not ask for any. */
export function importCommands(logbooks: Logbooks, log: Log) {
  return {
    async importTranscript(argument?: unknown) {
      const files = Array.isArray(argument) ? (argument as vscode.Uri[]) : await chooseFiles();
      const imported = await withProgress('Importing transcripts', async (signal, report) => {
        const conversations: string[] = [];
        for (const file of files) {
          report(vscode.workspace.asRelativePath(file));
          conversations.push(...(await importOne(file, signal)));
        }
        return conversations;
      });
      await tell(imported);
    },
  };

  async function importOne(file: vscode.Uri, signal: AbortSignal): Promise<readonly string[]> {
    if (file.scheme !== 'file') throw new UserError('Only files on a disk of this machine can be imported.');
    const { importFile } = await import('../../import/importFile.js');
    const name = vscode.workspace.asRelativePath(file);
    const result = await importFile(file.fsPath);
    for (const { severity, message, line } of result.problems) {
      log[severity === 'error' ? 'error' : 'warn'](
        `${name}${line === undefined ? '' : `:${line}`}: ${message}`,
      );
    }
    const kept = result.conversations.filter(({ records }) => records.length > 0);
    if (kept.length === 0)
      throw new UserError(`${name} holds no conversation that could be read. The log says why.`);
    if (result.problems.length > 0) {
      void showWarning(
        `${name}: ${formatCount(result.problems.length, 'place')} could not be understood; see the log.`,
      );
    }
    const { store } = await logbooks.storeFor(workingFolder(file.fsPath));
    const conversations: string[] = [];
    for (const conversation of kept) conversations.push(await importIntoLogbook(store, conversation, signal));
    return conversations;
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

async function tell(conversations: readonly string[]): Promise<void> {
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
