import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { commandName } from '../../../app/manifest.js';
import type { StoredConversation } from '../../../app/stores/storedConversation.js';
import { formatCount } from '../../../app/text/format.js';
import { plain, words } from '../../../app/text/plainText.js';
import { withTranscript } from '../../../app/transcripts/withTranscript.js';
import { chosen } from '../../../app/userError.js';
import { markdownOf, type Page } from '../../../compare/forms.js';
import { t } from '../../../core/l10n.js';
import { locate } from '../../../store/catalog/conversationFolders.js';
import {
  sealReport,
  type EarlierHead,
  type SealBreak,
  type SealGap,
  type SealReport,
  type SignedHead,
} from '../../../store/write/sealReport.js';
import { showInformation, showWarning } from '../ui/notices.js';
import { withProgress } from '../ui/progress.js';
import { openPage } from './changeViews.js';

/** So many places are told one by one. */
const MAX_BREAKS = 50;

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
    sealReport(await locate(root, entry.conversation), { anchors, signal }),
  );
  const page = pageOfSeal(entry.title, report, isCompared);
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

/** Whether anything is not as it was written or signed, or an end is missing that was kept elsewhere. */
function isWrong({ state, signed, anchored, stamped }: SealReport): boolean {
  return (
    state === 'broken' || signed?.isGood === false || isLost(signed) || isLost(anchored) || isLost(stamped)
  );
}

/** Whether a head that was kept is not of what stands here. */
function isLost(head: EarlierHead | undefined): boolean {
  return head !== undefined && head.behind === undefined;
}

/** The seal of a conversation as a page; what it says may be of others, and is not safe to show yet. */
function pageOfSeal(title: string, report: SealReport, hasAnchors: boolean): Page {
  const { breaks, gaps, notes, head, signed, anchored } = report;
  const changes = [
    ...breaks.slice(0, MAX_BREAKS).map((each) => [changeWords(each), recordWords(each), placeWords(each)]),
    ...gaps.map((gap) => [gapWords(gap), '', '']),
  ];
  return {
    title: t`Seal of ${title}`,
    sentence: sentenceOf(report),
    notes: breaks.length > MAX_BREAKS ? [t`${breaks.length - MAX_BREAKS} further places are not named.`] : [],
    tables: [
      { title: t`What is not as it was written`, heads: [t`What`, t`Record`, t`Place`], rows: changes },
      {
        title: t`Three answers`,
        heads: [t`Question`, t`Answer`],
        rows: [
          [t`Is it as it was written? (integrity)`, integrityWords(report)],
          [t`Is nothing missing? (completeness)`, completenessWords(report)],
          [t`Is it true? (truth)`, t`A seal does not say whether what was recorded is so.`],
        ],
      },
      {
        title: t`What was kept of it`,
        heads: [t`What`, t`What it says`],
        rows: [
          [
            t`Newest signed head`,
            signed ? signedWords(signed) : t`None. It is made by agent-logbook verify --sign.`,
          ],
          [
            t`Newest anchor`,
            anchored
              ? earlierWords(anchored)
              : hasAnchors
                ? t`The file has no head of this conversation.`
                : t`No file was compared. One is made by agent-logbook verify --anchor.`,
          ],
          ...(head ? [[t`Head now`, `${head.segment} ${head.entries} ${head.chain}`]] : []),
        ],
      },
      { title: t`What its writers noted`, heads: [t`Note`], rows: notes.map((note) => [noteWords(note)]) },
    ].filter(({ rows }) => rows.length > 0),
  };
}

function sentenceOf(report: SealReport): string {
  const { state, lines, sealed, unsealed, breaks, gaps, anew, signed, anchored, stamped } = report;
  const [first] = breaks;
  if (first) {
    const record = recordWords(first);
    return record === ''
      ? t`Not intact: ${changeWords(first)}.`
      : t`Not intact: ${changeWords(first)}, ${record}.`;
  }
  if (gaps[0]) return t`Not intact: ${gapWords(gaps[0])}.`;
  if (isLost(signed) || isLost(anchored) || isLost(stamped))
    return t`Not complete: a head that was kept is not of what stands here. An end was cut off, its seal was taken away, or all of it was rewritten.`;
  if (state === 'not sealed') return t`Not sealed: nothing proves whether this was changed.`;
  if (signed?.isGood === false) return t`The signature of its head is not good.`;
  if (anew[0] !== undefined)
    return t`Sealed anew from file ${anew[0]} on: what stood before it is not proved.`;
  return unsealed > 0
    ? t`As far as it is sealed, it is as it was written: ${sealed} of ${lines} lines.`
    : t`Intact: all of its lines are as they were written, ${lines} of ${lines}.`;
}

function changeWords({ kind }: SealBreak): string {
  switch (kind) {
    case 'changed':
      return t`a line was changed`;
    case 'removed':
      return t`a line was removed`;
    case 'inserted':
      return t`a line was put in`;
    case 'moved':
      return t`a line was moved`;
    case 'rest':
      return t`from a line on nothing is what was sealed`;
    case 'seal':
      return t`the seal itself was changed`;
  }
}

function recordWords({ kind, seq, behind }: SealBreak): string {
  if (behind !== undefined) return t`behind record ${behind}`;
  if (seq === undefined) return '';
  return kind === 'seal' ? t`from record ${seq} on` : t`record ${seq}`;
}

function placeWords({ kind, line, file }: SealBreak & { readonly file: number }): string {
  return kind === 'seal' ? t`line ${line} of the seal of file ${file}` : t`line ${line} of file ${file}`;
}

function gapWords({ file, after }: SealGap): string {
  return after === undefined
    ? t`file ${file} is missing`
    : t`file ${file} does not follow file ${after} as that is now`;
}

function integrityWords({ state, lines, sealed, unsealed, breaks, gaps, anew }: SealReport): string {
  if (state === 'not sealed')
    return t`Not known: none of its lines is sealed. An older version wrote it, another program did, or sealing was off.`;
  if (breaks.length + gaps.length > 0) return t`No. What is named above is not as it was written.`;
  if (anew[0] !== undefined) return t`Only from file ${anew[0]} on, where its seal begins anew.`;
  return unsealed > 0
    ? t`Yes, as far as it is sealed: ${sealed} of ${lines} lines. The others may be anything.`
    : t`Yes, all of its lines.`;
}

function completenessWords({ signed, anchored, stamped, sealed }: SealReport): string {
  if (isLost(signed) || isLost(anchored) || isLost(stamped))
    return t`No. A head that was kept is not of what stands here: an end was cut off, or all of it was rewritten.`;
  const behind = [signed?.isGood === true ? signed.behind : undefined, anchored?.behind]
    .filter((each) => each !== undefined)
    .sort((one, two) => one - two)[0];
  if (behind === undefined)
    return t`Not proved: without a signed head or an anchor, nobody sees that an end was cut off.`;
  return behind === 0
    ? t`Yes, up to its end, as the head that was kept says.`
    : t`Yes, up to the head that was kept: ${formatCount(sealed - behind, 'line')}. ${formatCount(behind, 'line')} came after it, and nobody would miss one of these.`;
}

function earlierWords({ behind, entries }: EarlierHead): string {
  return behind === undefined
    ? t`It is not of what stands here now.`
    : t`It holds, after ${formatCount(entries, 'line')} of its file; ${formatCount(behind, 'line')} came later.`;
}

function signedWords({ isGood, key, ...head }: SignedHead): string {
  return isGood
    ? t`${earlierWords(head)} Signed by ${key}; whose key that is was not checked.`
    : t`Its signature is not good.`;
}

/** A note of a seal, which its writer has in English. */
function noteWords(note: string): string {
  const [, bytes] = /^cut: (\d+) bytes/.exec(note) ?? [];
  if (bytes !== undefined) return t`A repair cut off ${bytes} bytes of a line that was not whole.`;
  const [, later] = /^sealed later: (\d+)$/.exec(note) ?? [];
  if (later !== undefined)
    return t`${formatCount(Number(later), 'line')} were sealed later, by the process that came after their writer.`;
  return note;
}
