import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { commandName } from '../../../app/manifest.js';
import type { StoredConversation } from '../../../app/stores/storedConversation.js';
import { plain, words } from '../../../app/text/plainText.js';
import { isWrong, pageOfSeal } from '../../../app/text/sealWords.js';
import { withTranscript } from '../../../app/transcripts/withTranscript.js';
import { chosen } from '../../../app/userError.js';
import { markdownOf } from '../../../compare/forms.js';
import { t } from '../../../core/l10n.js';
import { locate } from '../../../store/catalog/conversationFolders.js';
import { readTombstones } from '../../../store/write/removeOwnFolder.js';
import { sealReport, type SealReport } from '../../../store/write/sealReport.js';
import { showInformation, showWarning } from '../ui/notices.js';
import { withProgress } from '../ui/progress.js';
import { openPage } from './changeViews.js';

/**
 * Tells as a page whether a conversation is as it was written, and leads to the first record that is not.
 * @param isCompared whether the person chooses a file of anchors that it is compared with
 */
export async function verifyTranscript(
  context: Pick<vscode.ExtensionContext, 'subscriptions'>,
  kept: StoredConversation,
  isCompared: boolean,
): Promise<void> {
  const { root, entry } = kept;
  const anchors = isCompared ? await chosenAnchors(dirname(root)) : undefined;
  const report = await withProgress(words`Checking the seal`, async (signal) =>
    sealReport(await locate(root, entry.conversation), {
      anchors,
      deleted: (await readTombstones(root)).tombstones,
      signal,
    }),
  );
  const page = pageOfSeal(entry.title, report, { hasAnchors: isCompared });
  await openPage(context, t`Seal`, markdownOf(page));
  const seq = report.breaks.map((each) => each.seq ?? each.behind).find((each) => each !== undefined);
  const position = seq === undefined ? undefined : await positionOf(kept, seq);
  // Whoever asked is not kept waiting for a notice.
  void offer(entry.conversation, report, { sentence: page.sentence, position });
}

/** Leads to a record, and to a comparison with what was kept elsewhere. */
async function offer(
  conversation: string,
  report: SealReport,
  { sentence, position }: { readonly sentence: string; readonly position: number | undefined },
): Promise<void> {
  const [show, compare] = [t`Show the Record`, t`Compare with Anchors…`];
  const pressed = isWrong(report)
    ? await showWarning(plain(sentence), ...(position === undefined ? [] : [show]), compare)
    : await showInformation(plain(sentence), ...(report.head ? [compare] : []));
  if (pressed === show)
    await vscode.commands.executeCommand(commandName('openTranscript'), { conversation, position });
  if (pressed === compare)
    await vscode.commands.executeCommand(commandName('verifyTranscript'), { conversation, anchors: true });
}

async function chosenAnchors(folder: string): Promise<string> {
  const [file] = chosen(
    await vscode.window.showOpenDialog({
      title: t`Compare with Anchors`,
      openLabel: t`Compare`,
      defaultUri: vscode.Uri.file(folder),
    }),
  );
  return Buffer.from(await vscode.workspace.fs.readFile(chosen(file))).toString('utf8');
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
