import type { Page } from '../../compare/forms.js';
import { t } from '../../core/l10n.js';
import type {
  AnchoredHead,
  EarlierHead,
  SealBreak,
  SealGap,
  SealReport,
  SignedHead,
} from '../../store/write/sealReport.js';
import { formatCount } from './format.js';

/**
 * Whether anything is not as it was written, or not signed or timestamped by whom it was to be, an end is missing that was
 * kept elsewhere, or it is said to be deleted.
 */
export function isWrong(
  { state, signed, anchored, stamped, buried }: SealReport,
  stamp?: SealStamp,
): boolean {
  return (
    state === 'broken' ||
    signed?.isGood === false ||
    signed?.isTrusted === false ||
    stamp?.isOfHead === false ||
    stamp?.isVerified === false ||
    [signed, anchored, stamped].some(isLost) ||
    buried !== undefined
  );
}

/** Whether a head that was kept is not of what stands here. */
function isLost(head: EarlierHead | undefined): boolean {
  return head !== undefined && head.behind === undefined;
}

/** What a timestamp of a head says, as far as it was looked at. */
export interface SealStamp extends EarlierHead {
  /** When the authority saw it, in milliseconds since 1970; undefined where that cannot be read. */
  readonly time?: number;
  /** Whether it is of the head that stands beside it. */
  readonly isOfHead: boolean;
  /** Whether it is by one of the authorities that were named; undefined where none were. */
  readonly isVerified?: boolean;
}

/** What a check of seals is told with, besides itself. */
export interface SealTelling {
  /** Whether a file of anchors was compared. */
  readonly hasAnchors: boolean;
  /** What is kept of a timestamp. */
  readonly stamp?: SealStamp | undefined;
}

/** A check of seals in words; what they say may be of others, and is not safe to show yet. */
export interface SealWords {
  readonly sentence: string;
  /** What is not as it was written, with its record, where that is known, and its place. */
  readonly changes: readonly (readonly [what: string, record: string, place: string])[];
  /** How many further places are not named. */
  readonly more: number;
  readonly integrity: string;
  readonly completeness: string;
  readonly truth: string;
  readonly signed: string;
  readonly anchored: string;
  readonly stamped?: string;
  readonly head?: string;
  readonly notes: readonly string[];
}

/** So many places are told one by one. */
const MAX_BREAKS = 50;

/** Says in words what a check of seals has found. */
export function sealWords(report: SealReport, { hasAnchors, stamp }: SealTelling): SealWords {
  const { breaks, gaps, anew, notes, head, signed, anchored, buried } = report;
  return {
    sentence: sentenceOf(report, stamp),
    changes: [
      ...breaks
        .slice(0, MAX_BREAKS)
        .map((each) => [changeWords(each), recordWords(each), placeWords(each)] as const),
      ...gaps.map((gap) => [gapWords(gap), '', ''] as const),
      ...anew.map((file) => [anewWords(file), '', ''] as const),
      ...(buried ? [[buriedWords(), '', ''] as const] : []),
    ],
    more: Math.max(0, breaks.length - MAX_BREAKS),
    integrity: integrityWords(report),
    completeness: completenessWords(report),
    truth: t`A seal does not say whether what was recorded is so.`,
    signed: signed ? signedWords(signed) : t`None. It is made by agent-logbook verify --sign.`,
    anchored: anchored
      ? anchoredWords(anchored)
      : hasAnchors
        ? t`The file has no head of this conversation.`
        : t`No file was compared. One is made by agent-logbook verify --anchor.`,
    ...(stamp && { stamped: stampWords(stamp) }),
    ...(head && { head: `${head.segment} ${head.entries} ${head.chain}` }),
    notes: notes.map(noteWords),
  };
}

/** The same as a page. */
export function pageOfSeal(title: string, report: SealReport, telling: SealTelling): Page {
  const told = sealWords(report, telling);
  return {
    title: t`Seal of ${title}`,
    sentence: told.sentence,
    notes: told.more > 0 ? [t`${told.more} further places are not named.`] : [],
    tables: [
      {
        title: t`What is not as it was written`,
        heads: [t`What`, t`Record`, t`Place`],
        rows: told.changes,
      },
      {
        title: t`Three answers`,
        heads: [t`Question`, t`Answer`],
        rows: [
          [t`Is it as it was written? (integrity)`, told.integrity],
          [t`Is nothing missing? (completeness)`, told.completeness],
          [t`Is it true? (truth)`, told.truth],
        ],
      },
      {
        title: t`What was kept of it`,
        heads: [t`What`, t`What it says`],
        rows: [
          [t`Newest signed head`, told.signed],
          [t`Newest anchor`, told.anchored],
          ...(told.stamped === undefined ? [] : [[t`Timestamped head`, told.stamped]]),
          ...(told.head === undefined ? [] : [[t`Head now`, told.head]]),
        ],
      },
      { title: t`What its writers noted`, heads: [t`Note`], rows: told.notes.map((note) => [note]) },
    ].filter(({ rows }) => rows.length > 0),
  };
}

function sentenceOf(report: SealReport, stamp: SealStamp | undefined): string {
  const { state, lines, sealed, unsealed, breaks, gaps, anew, signed, anchored, stamped, buried } = report;
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
  if (buried) return t`In contradiction: ${buriedWords()}.`;
  if (state === 'not sealed') return t`Not sealed: nothing proves whether this was changed.`;
  if (signed?.isGood === false) return t`The signature of its head is not good.`;
  if (signed?.isTrusted === false)
    return t`Not proved: its head is signed by no signer that was named. Whoever wrote all of it anew could sign it so.`;
  if (stamp?.isOfHead === false) return t`The timestamp is not of the head that stands beside it.`;
  if (stamp?.isVerified === false) return t`Its head is timestamped by no authority that was named.`;
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

/** What is wrong between two files. */
export function gapWords({ file, after, isEndLost }: SealGap): string {
  if (after === undefined) return t`file ${file} is missing`;
  return isEndLost
    ? t`the seal of file ${after} ends before what file ${file} follows: its end was lost, as in a power cut, or cut off`
    : t`file ${file} does not follow file ${after} as that is now`;
}

function anewWords(file: number): string {
  return t`the seal begins anew with file ${file}: what stood before it is not proved by it`;
}

function buriedWords(): string {
  return t`a tombstone says that it was deleted, and it stands here as it was then: a copy was put back, or the tombstone is forged`;
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
  // Whoever writes all of it anew can sign it with a key of their own.
  const counted = signed?.isGood === true && signed.isTrusted !== false ? signed : undefined;
  const proved = [counted?.isTrusted === true ? counted.behind : undefined, anchored?.behind]
    .filter((each) => each !== undefined)
    .sort((one, two) => one - two)[0];
  const behind = proved ?? counted?.behind;
  if (behind === undefined)
    return signed?.isTrusted === false
      ? t`Not proved: its head is signed by no signer that was named.`
      : t`Not proved: without a signed head or an anchor, nobody sees that an end was cut off.`;
  if (proved === undefined)
    return behind === 0
      ? t`Up to its end, as a head says that is signed by a key that nobody named: whoever wrote all of it anew could sign it so.`
      : t`Up to a head that is signed by a key that nobody named: ${formatCount(sealed - behind, 'line')}. Whoever wrote all of it anew could sign it so.`;
  return behind === 0
    ? t`Yes, up to its end, as the head that was kept says.`
    : t`Yes, up to the head that was kept: ${formatCount(sealed - behind, 'line')}. ${formatCount(behind, 'line')} came after it, and nobody would miss one of these.`;
}

function earlierWords({ behind, entries }: EarlierHead): string {
  return behind === undefined
    ? t`It is not of what stands here now.`
    : t`It holds, after ${formatCount(entries, 'line')} of its file; ${formatCount(behind, 'line')} came later.`;
}

function anchoredWords({ kept, pushedBehind, ...head }: AnchoredHead): string {
  const told = earlierWords(head);
  if (kept === undefined || head.behind === undefined) return told;
  if (kept === 'pushed') return t`${told} It is pushed, as far as git knows here.`;
  const where =
    kept === 'committed'
      ? t`It is committed and not pushed, as far as git knows here: its writer can still change it.`
      : t`It is not committed: its writer can still change it.`;
  return pushedBehind === undefined
    ? `${told} ${where}`
    : t`${told} ${where} ${formatCount(pushedBehind, 'line')} came after the newest one that is pushed.`;
}

function signedWords({ isGood, isTrusted, key, ...head }: SignedHead): string {
  if (!isGood) return t`Its signature is not good.`;
  if (isTrusted === undefined)
    return t`${earlierWords(head)} Signed by ${key}; whose key that is was not checked.`;
  return isTrusted
    ? t`${earlierWords(head)} Signed by ${key}, a signer that was named.`
    : t`${earlierWords(head)} Signed by ${key}, no signer that was named.`;
}

function stampWords(stamp: SealStamp): string {
  const { time, isOfHead, isVerified } = stamp;
  if (!isOfHead || time === undefined) return t`The timestamp is not of the head that stands beside it.`;
  const seen = new Date(time).toISOString();
  if (isVerified === undefined)
    return t`${earlierWords(stamp)} Seen ${seen}; whose timestamp that is was not checked.`;
  return isVerified
    ? t`${earlierWords(stamp)} Seen ${seen}, by an authority that was named.`
    : t`${earlierWords(stamp)} Seen ${seen}, by no authority that was named.`;
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
