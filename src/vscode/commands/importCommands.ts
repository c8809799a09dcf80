import * as vscode from 'vscode';
import { messageOf } from '../../core/text.js';
import type { Log } from '../../ports/log.js';
import type { Logbooks } from '../logbooks.js';
import { StoreError } from '../../store/write/storeProblem.js';
import { commandName } from '../manifest.js';
import { showInformation } from '../surfaces/notices.js';
import type { ImportOutcome } from '../../store/write/importSession.js';
import { plain, words } from '../surfaces/plainText.js';
import { withProgress } from '../surfaces/progress.js';
import { importWords } from '../reading/importWords.js';
import { importTranscriptFile, nameOfFile } from '../reading/importTranscriptFile.js';
import { Cancelled, chosen, showLog, UserError } from '../userError.js';
import { READ_ONLY, requireTrust } from '../workspaceFolders.js';

/** How long the words on all that an import did may be, in code points. */
const MAX_WORDS = 600;

/** The command that imports other tools' transcripts; with files as its argument, it does not ask for any. */
export function importCommands(logbooks: Logbooks, log: Log) {
  return {
    async importTranscript(argument?: unknown) {
      requireTrust(READ_ONLY);
      const files = Array.isArray(argument) ? (argument as vscode.Uri[]) : await chooseFiles();
      const outcomes: ImportOutcome[] = [];
      const failures: string[] = [];
      const readWith = new Set<string>();
      const importOne = async (file: vscode.Uri, signal: AbortSignal): Promise<void> => {
        try {
          for await (const outcome of importTranscriptFile(file, logbooks, log, signal, readWith))
            outcomes.push(outcome);
        } catch (error) {
          if (signal.aborted) throw new Cancelled();
          // A file that cannot be read does not prevent the others.
          failures.push(wordsFor(file, error, log));
        }
      };
      try {
        await withProgress(words`Importing transcripts`, async (signal, report) => {
          for (const file of byName(files)) {
            if (readWith.has(file.fsPath)) continue;
            report(plain(nameOfFile(file)));
            await importOne(file, signal);
          }
        });
      } finally {
        // Cancel keeps what has been imported so far.
        void tellImported(outcomes);
      }
      throwFailures(failures, files.length);
    },
  };
}

/** Sorts files by name: sessions are named by start time, so that one precedes those of its subagents. */
function byName(files: readonly vscode.Uri[]): readonly vscode.Uri[] {
  return [...files].sort((a, b) => (a.fsPath < b.fsPath ? -1 : 1));
}

function wordsFor(file: vscode.Uri, error: unknown, log: Log): string {
  if (error instanceof UserError) return error.message;
  const name = nameOfFile(file);
  log.error(`${name} cannot be imported`, error);
  if (error instanceof StoreError) return error.message;
  return `${name} cannot be read: ${messageOf(error)}.`;
}

function throwFailures(failures: readonly string[], files: number): void {
  if (failures.length === 0) return;
  if (files === 1) throw new UserError(failures.join(), showLog);
  const words = `${failures.length} of ${files} files were not imported. ${failures.join(' ')}`;
  throw new UserError(words, showLog);
}

async function chooseFiles(): Promise<readonly vscode.Uri[]> {
  return chosen(
    await vscode.window.showOpenDialog({
      title: 'Import Transcript',
      openLabel: 'Import',
      canSelectMany: true,
      filters: {
        Transcripts: ['jsonl', 'json', 'traj', 'eval', 'zip', 'gz', 'zst', 'log'],
        'All files': ['*'],
      },
    }),
  );
}

async function tellImported(outcomes: readonly ImportOutcome[]): Promise<void> {
  const [first] = outcomes;
  if (first === undefined) return;
  const open = 'Open Transcript';
  const pressed = await showInformation(plain(importWords(outcomes), MAX_WORDS), open);
  if (pressed === open)
    await vscode.commands.executeCommand(commandName('openTranscript'), { conversation: first.conversation });
}
