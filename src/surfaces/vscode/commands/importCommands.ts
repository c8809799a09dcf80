import { t } from '../../../core/l10n.js';
import { READ_ONLY } from '../../../app/ports/workspace.js';
import * as vscode from 'vscode';
import { forEachAtOnce } from '../../../core/forEachAtOnce.js';
import { messageOf } from '../../../core/text.js';
import type { Log } from '../../../core/ports/log.js';
import type { Stores } from '../../../app/services/stores.js';
import { StoreError } from '../../../store/write/storeProblem.js';
import { commandName } from '../../../app/manifest.js';
import { showInformation } from '../ui/notices.js';
import { features } from '../../../app/features/features.js';
import type { ImportOutcome } from '../../../store/write/importSession.js';
import { plain, words, type PlainText } from '../../../app/text/plainText.js';
import { withProgress } from '../ui/progress.js';
import { importWords } from '../../../app/transcripts/importWords.js';
import { nameOfFile, readTranscriptFile } from '../reading/readTranscriptFile.js';
import { Cancelled, chosen, showLog, UserError } from '../../../app/userError.js';
import { requireTrust } from '../workspaceFolders.js';

/** How many conversations are stored at once: they share the waiting for the disk. */
const STORED_AT_ONCE = 8;
/** How long the words on all that an import did may be, in code points. */
const MAX_WORDS = 600;

/** The command that imports other tools' transcripts; with files as its argument, it does not ask for any. */
export function importCommands(stores: Stores, log: Log) {
  return {
    async importTranscript(argument?: unknown) {
      requireTrust(READ_ONLY);
      const files = Array.isArray(argument) ? (argument as vscode.Uri[]) : await chooseFiles();
      const outcomes: (ImportOutcome | undefined)[] = [];
      const failures = new Map<vscode.Uri, string>();
      // A file that cannot be read does not prevent the others.
      const fail = (file: vscode.Uri, error: unknown, signal: AbortSignal) => {
        if (signal.aborted) throw new Cancelled();
        if (!failures.has(file)) failures.set(file, wordsFor(file, error, log));
      };
      const { ImportThread } = await features.transcripts();
      const thread = new ImportThread({ log });
      const readAll = async function* (signal: AbortSignal, report: (detail: PlainText) => void) {
        const readWith = new Set<string>();
        for (const file of byName(files)) {
          if (readWith.has(file.fsPath)) continue;
          report(plain(nameOfFile(file)));
          const onProgress = (done: number) => report(words`${nameOfFile(file)}: ${Math.round(done * 100)}%`);
          try {
            const context = { stores, thread, log, signal, onProgress, readWith };
            for await (const store of readTranscriptFile(file, context))
              yield { file, store, at: outcomes.push(undefined) - 1 };
          } catch (error) {
            fail(file, error, signal);
          }
        }
      };
      try {
        await withProgress(words`Importing transcripts`, async (signal, report) => {
          await forEachAtOnce(readAll(signal, report), STORED_AT_ONCE, async ({ file, store, at }) => {
            try {
              outcomes[at] = await store();
            } catch (error) {
              fail(file, error, signal);
            }
          });
        });
      } finally {
        thread.dispose();
        // Cancel keeps what has been imported so far.
        void reportImported(outcomes.filter((outcome) => outcome !== undefined));
      }
      throwFailures([...failures.values()], files.length);
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
  return t`${name} cannot be read: ${messageOf(error)}.`;
}

function throwFailures(failures: readonly string[], files: number): void {
  if (failures.length === 0) return;
  if (files === 1) throw new UserError(failures.join(), showLog);
  const words = t`${failures.length} of ${files} files were not imported. ${failures.join(' ')}`;
  throw new UserError(words, showLog);
}

async function chooseFiles(): Promise<readonly vscode.Uri[]> {
  return chosen(
    await vscode.window.showOpenDialog({
      title: t`Import Transcript`,
      openLabel: t`Import`,
      canSelectMany: true,
      filters: {
        Transcripts: ['jsonl', 'json', 'traj', 'eval', 'zip', 'gz', 'zst', 'log'],
        'All files': ['*'],
      },
    }),
  );
}

async function reportImported(outcomes: readonly ImportOutcome[]): Promise<void> {
  const [first] = outcomes;
  if (first === undefined) return;
  const open = t`Open Transcript`;
  const pressed = await showInformation(plain(importWords(outcomes), MAX_WORDS), open);
  if (pressed === open)
    await vscode.commands.executeCommand(commandName('openTranscript'), { conversation: first.conversation });
}
