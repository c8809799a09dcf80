import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { commandName } from '../../../app/manifest.js';
import type { StoredConversation } from '../../../app/stores/storedConversation.js';
import { plain, words } from '../../../app/text/plainText.js';
import { isWrong, pageOfSeal, type SealStamp } from '../../../app/text/sealWords.js';
import { withTranscript } from '../../../app/transcripts/withTranscript.js';
import { anchorsIn, stampOf } from '../../../app/sources/sealStamp.js';
import { chosen } from '../../../app/userError.js';
import { markdownOf } from '../../../compare/forms.js';
import { t } from '../../../core/l10n.js';
import { locate } from '../../../store/catalog/conversationFolders.js';
import { readTombstones } from '../../../store/write/removeOwnFolder.js';
import { sealReport, type AnchorTexts, type SealReport } from '../../../store/write/sealReport.js';
import { showInformation, showWarning } from '../ui/notices.js';
import { withProgress } from '../ui/progress.js';
import { openPage } from './changeViews.js';

/** What else a conversation is compared with: a file that the person chooses. */
export type Compared = 'anchors' | 'authorities';

/**
 * Tells as a page whether a conversation is as it was written, and leads to the first record that is not. What is kept of a
 * timestamp is looked at as well; its signature where the person chooses whose it may be.
 */
export async function verifyTranscript(
  context: Pick<vscode.ExtensionContext, 'subscriptions'>,
  kept: StoredConversation,
  compared?: Compared,
): Promise<void> {
  const { root, entry } = kept;
  const [anchorFile, authorities] = [
    compared === 'anchors' ? await chosenFile(t`Compare with Anchors`, t`Compare`, dirname(root)) : undefined,
    compared === 'authorities'
      ? await chosenFile(t`Certificates of Time-Stamping Authorities`, t`Check`, dirname(root))
      : undefined,
  ];
  const [report, stamp] = await withProgress(words`Checking the seal`, async (signal) => {
    const paths = await locate(root, entry.conversation);
    const found = await sealReport(paths, {
      anchors: anchorFile && (await anchorsOf(anchorFile, signal)),
      deleted: (await readTombstones(root)).tombstones,
      signal,
    });
    return [
      found,
      found.stamped && (await stampOf(paths, found.stamped, authorities?.fsPath, signal)),
    ] as const;
  });
  const page = pageOfSeal(entry.title, report, { hasAnchors: anchorFile !== undefined, stamp });
  await openPage(context, t`Seal`, markdownOf(page));
  const seq = report.breaks.map((each) => each.seq ?? each.behind).find((each) => each !== undefined);
  const position = seq === undefined ? undefined : await positionOf(kept, seq);
  // Whoever asked is not kept waiting for a notice.
  void offer(entry.conversation, report, { sentence: page.sentence, position, stamp });
}

/** Leads to a record, and to a comparison with what was kept elsewhere. */
async function offer(
  conversation: string,
  report: SealReport,
  {
    sentence,
    position,
    stamp,
  }: {
    readonly sentence: string;
    readonly position: number | undefined;
    readonly stamp: SealStamp | undefined;
  },
): Promise<void> {
  const [show, compare, check] = [t`Show the Record`, t`Compare with Anchors…`, t`Check the Timestamp…`];
  const pressed = isWrong(report, stamp)
    ? await showWarning(
        plain(sentence),
        ...(position === undefined ? [] : [show]),
        compare,
        ...(stamp ? [check] : []),
      )
    : await showInformation(plain(sentence), ...(report.head ? [compare] : []), ...(stamp ? [check] : []));
  if (pressed === show)
    await vscode.commands.executeCommand(commandName('openTranscript'), { conversation, position });
  const compared: Compared | undefined =
    pressed === compare ? 'anchors' : pressed === check ? 'authorities' : undefined;
  if (compared)
    await vscode.commands.executeCommand(commandName('verifyTranscript'), { conversation, compared });
}

async function chosenFile(title: string, openLabel: string, folder: string): Promise<vscode.Uri> {
  const defaultUri = vscode.Uri.file(folder);
  return chosen(chosen(await vscode.window.showOpenDialog({ title, openLabel, defaultUri }))[0]);
}

/** The heads in a file, with what git knows of it where it may be asked: trust is given to folders of the workspace alone. */
async function anchorsOf(file: vscode.Uri, signal: AbortSignal): Promise<AnchorTexts> {
  const text = Buffer.from(await vscode.workspace.fs.readFile(file)).toString('utf8');
  const isTrusted = vscode.workspace.isTrusted && vscode.workspace.getWorkspaceFolder(file) !== undefined;
  if (!isTrusted || file.scheme !== 'file') return { text };
  return await anchorsIn({ text, path: file.fsPath, name: file.fsPath }, signal);
}

/** The position of the last record up to a seq. */
async function positionOf({ store, entry }: StoredConversation, seq: number): Promise<number> {
  return await withTranscript(store, entry.conversation, async (transcript) => {
    let [low, high] = [0, transcript.length];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      const [record] = await transcript.read(middle, middle + 1);
      if ((record?.seq ?? 0) <= seq) low = middle;
      else high = middle;
    }
    return low;
  });
}
