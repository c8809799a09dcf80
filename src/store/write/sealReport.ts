import { createHash, createPublicKey, hash, verify as verifySignature } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../core/errorCode.js';
import { appendAll } from '../../core/lists.js';
import { TimeSlices } from '../../core/yieldToEventLoop.js';
import type { ConversationPaths } from '../files/storePaths.js';
import { segmentsIn } from '../read/journalLines.js';
import { commitmentOf, linkOf, linkOfNote, sealHead, sealOf, type SealedEnd } from './segmentFile.js';

const NEWLINE = 0x0a;

/** What is wrong with a line of a segment or with its seal; `rest`: from there on nothing that was sealed was found, and no more was looked for. */
export interface SealBreak {
  readonly kind: 'changed' | 'removed' | 'inserted' | 'moved' | 'rest' | 'seal';
  /** The number of the line in its file, from 1: of one that is removed, where it stood; of a seal, in that. */
  readonly line: number;
  /** The seq of the record that is meant, where there is one; of a seal, of the first whose link does not hold. */
  readonly seq?: number;
  /** Of one that is removed, the seq of the record before it, where there is one. */
  readonly behind?: number;
}

/** A link of a seal, with how many lines it and those before it are of. */
export interface SealLink {
  readonly entries: number;
  readonly chain: string;
}

/** What a seal proves of a segment. */
export interface SealCheck {
  readonly segment: number;
  /** Whether there is a seal of any line. */
  readonly isSealed: boolean;
  readonly lines: number;
  /** How many entries the seal has, and how many lines stand behind those that it tells of. */
  readonly entries: number;
  readonly unsealed: number;
  readonly breaks: readonly SealBreak[];
  /** What the writers noted: lines that were sealed later, what a repair cut off. */
  readonly notes: readonly string[];
  /** The segment that it follows. */
  readonly after?: SealedEnd;
  /** All links, in order. */
  readonly links: readonly SealLink[];
}

interface Entry {
  readonly commitment: string;
  readonly salt: string;
}

/** How far is looked for the line that an entry is of. */
const REACH = 200;
/** How many lines in a row may be of no entry, and how much is hashed in search of those of others, in bytes. */
const MAX_UNMATCHED = 50;
const MAX_LOOKED = 64 * 1024 * 1024;
/** What hashing a line costs besides its bytes, in as many. */
const LOOK = 256;
/** How long a check goes on before others get their turn, in milliseconds. */
const SLICE_MS = 20;

/** Lets others have their turn now and then; throws where a signal says to end. */
type Pause = () => Promise<void> | undefined;

function pauses(signal: AbortSignal | undefined): Pause {
  const slices = new TimeSlices(SLICE_MS);
  return () => {
    signal?.throwIfAborted();
    return slices.whenOver();
  };
}

/** Checks the lines of a segment by its seal. Rejects with the reason of the signal. */
export async function checkSeal(
  conversation: string,
  segment: number,
  journal: Buffer,
  seal: string | undefined,
  signal?: AbortSignal,
): Promise<SealCheck> {
  const pause = pauses(signal);
  const lines: Buffer[] = [];
  for (
    let from = 0, end = journal.indexOf(NEWLINE);
    end >= 0;
    from = end + 1, end = journal.indexOf(NEWLINE, from)
  )
    lines.push(journal.subarray(from, end));
  const partial = journal.length > 0 && journal.at(-1) !== NEWLINE ? 1 : 0;
  const whole = seal === undefined ? '' : wholeLines(seal);
  const about = { segment, lines: lines.length };
  if (whole.split('\n').length < 3)
    return {
      ...about,
      isSealed: false,
      entries: 0,
      unsealed: lines.length,
      breaks: [],
      notes: [],
      links: [],
    };
  const { entries, notes, after, links, wrong } = await entriesOf(conversation, segment, whole, pause);
  const found = await compared(lines, entries, pause);
  if (found.breaks.length === 0) appendAll(wrong, wrongOffsets(lines, links));
  const seqOf = (at: number) => seqIn(lines[at]);
  const breaks = found.breaks.map(({ kind, line }): SealBreak => {
    const seq = kind === 'removed' ? undefined : seqOf(line - 1);
    const behind = kind === 'removed' ? seqOf(line - 2) : undefined;
    return { kind, line, ...(seq !== undefined && { seq }), ...(behind !== undefined && { behind }) };
  });
  const wrongs = wrong.map(({ line, entry }): SealBreak => {
    const seq = seqOf(entry);
    return { kind: 'seal', line, ...(seq !== undefined && { seq }) };
  });
  return {
    ...about,
    isSealed: entries.length > 0,
    entries: entries.length,
    unsealed: found.unsealed + partial,
    breaks: [...breaks, ...wrongs],
    notes,
    ...(after && { after }),
    links,
  };
}

/** The lines of a seal that are there: a power cut leaves zeros, or a part of a line, where the last were being written. */
function wholeLines(seal: string): string {
  const zeros = seal.indexOf('\0');
  const written = zeros < 0 ? seal : seal.slice(0, zeros);
  return written.slice(0, written.lastIndexOf('\n') + 1);
}

/** A link as its line of the seal tells it, with how far the journal is sealed by it, in bytes. */
interface ToldLink extends SealLink {
  readonly offset: number;
  readonly line: number;
}

/** A line of a seal that is not as it was written, with the first entry that it is of. */
interface WrongLine {
  readonly line: number;
  readonly entry: number;
}

/** What a seal tells, as far as its links go: entries behind the last were not written whole. */
async function entriesOf(conversation: string, segment: number, seal: string, pause: Pause) {
  const [first = '', second = '', ...rest] = seal.split('\n');
  const entries: Entry[] = [];
  const notes: string[] = [];
  const links: ToldLink[] = [];
  const wrong: WrongLine[] = [];
  const isWrong = (line: number) => wrong.push({ line, entry: entries.length });
  const [, from, last = ''] = /^after (\d+) ([\w-]{43})$/.exec(second) ?? [];
  const after = from === undefined ? undefined : { segment: Number(from), chain: last };
  const head = sealHead(conversation, segment, after);
  if (`${first}\n${second}\n` !== head) isWrong(1);
  let link = hash('sha256', head, 'base64url');
  let open: Entry[] = [];
  for (const [at, line] of rest.entries()) {
    await pause();
    const [, commitment, salt = ''] = /^([\w-]{43}) ([\w-]{24})$/.exec(line) ?? [];
    if (commitment !== undefined) {
      open.push({ commitment, salt });
      continue;
    }
    const [, kind, told = '', offset, note = ''] =
      /^(chain|note) ([\w-]{43}) (\d+)(?: (.*))?$/.exec(line) ?? [];
    if (kind === undefined) {
      if (line !== '') isWrong(at + 3);
      continue;
    }
    const isNote = kind === 'note';
    const now = isNote
      ? linkOfNote(link, note)
      : linkOf(link, open.map((each) => `${each.commitment}\n`).join(''));
    if (now !== told || (isNote && open.length > 0)) isWrong(at + 3);
    if (isNote) notes.push(note);
    appendAll(entries, open);
    open = [];
    link = told;
    links.push({ entries: entries.length, chain: told, offset: Number(offset), line: at + 3 });
  }
  return { entries, notes, after, links, wrong };
}

/** The links that say of another place in the journal than the end of their lines that it is sealed up to there. */
function wrongOffsets(lines: readonly Buffer[], links: readonly ToldLink[]): readonly WrongLine[] {
  let [count, end] = [0, 0];
  return links.flatMap(({ entries, offset, line }) => {
    for (; count < entries; count++) end += (lines[count]?.length ?? 0) + 1;
    return offset === end ? [] : [{ line, entry: entries }];
  });
}

/** Which lines are not those of the entries, in order, and how many stand behind the last entry. */
async function compared(lines: readonly Buffer[], entries: readonly Entry[], pause: Pause) {
  const breaks: Pick<SealBreak, 'kind' | 'line'>[] = [];
  const isOf = (entry: number, line: number) => {
    const [told, bytes] = [entries[entry], lines[line]];
    return told !== undefined && bytes !== undefined && commitmentOf(told.salt, bytes) === told.commitment;
  };
  let looked = 0;
  const isFound = (entry: number, line: number) => {
    if (entry >= entries.length || line >= lines.length || looked > MAX_LOOKED) return false;
    looked += LOOK + (lines[line]?.length ?? 0);
    return isOf(entry, line);
  };
  let [entry, line, unmatched] = [0, 0, 0];
  const put: number[] = [];
  const gone: number[] = [];
  while (entry < entries.length && line < lines.length) {
    await pause();
    if (isOf(entry, line)) {
      [entry, line, unmatched] = [entry + 1, line + 1, 0];
      continue;
    }
    if (unmatched === MAX_UNMATCHED || looked > MAX_LOOKED) {
      breaks.push({ kind: 'rest', line: line + 1 });
      [entry, line] = [entries.length, Math.max(line, Math.min(lines.length, entries.length))];
      break;
    }
    const found = stepOver(isFound, entry, line);
    unmatched = found ? 0 : unmatched + 1;
    const step = found ?? { entries: 1, lines: 1 };
    for (let at = 0; at < step.lines && at < step.entries; at++)
      breaks.push({ kind: 'changed', line: line + at + 1 });
    for (let at = step.entries; at < step.lines; at++) put.push(line + at);
    for (let at = step.lines; at < step.entries; at++) gone.push(entry + at);
    [entry, line] = [entry + step.entries, line + step.lines];
  }
  for (; entry < entries.length; entry++) gone.push(entry);
  const tail = lines.length - line;
  const moved = new Set<number>();
  for (const at of put) {
    await pause();
    const from = gone.find((each) => !moved.has(each) && isFound(each, at));
    if (from !== undefined) moved.add(from);
    breaks.push({ kind: from === undefined ? 'inserted' : 'moved', line: at + 1 });
  }
  for (const at of gone) if (!moved.has(at)) breaks.push({ kind: 'removed', line: at + 1 });
  return { breaks: breaks.sort((one, two) => one.line - two.line), unsealed: tail };
}

/** How many entries and lines are passed over until an entry is of a line again; undefined where none was found. */
function stepOver(isFound: (entry: number, line: number) => boolean, entry: number, line: number) {
  for (let far = 1; far <= REACH; far++) {
    if (isFound(entry + far, line + far)) return { entries: far, lines: far };
    if (isFound(entry, line + far)) return { entries: 0, lines: far };
    if (isFound(entry + far, line)) return { entries: far, lines: 0 };
  }
  return undefined;
}

function seqIn(line: Buffer | undefined): number | undefined {
  const [, seq] = /"seq":(\d{1,15})[,}]/.exec(line?.toString('latin1', 0, 200) ?? '') ?? [];
  return seq === undefined ? undefined : Number(seq);
}

/** What a signature of a head is for: no signature of another purpose passes for one. */
export const SEAL_NAMESPACE = 'seal@agent-logbook';
/** The newest head that was signed, and its signature, in the folder of a conversation. */
export const HEAD = 'messages.head';
export const SIGNATURE = 'messages.head.sig';
/** A head that was timestamped, and the answer of the authority as RFC 3161 has it. */
export const STAMPED = 'messages.stamped';
export const STAMP = 'messages.stamped.tsr';
/** The SubjectPublicKeyInfo of an Ed25519 key is this and its 32 bytes. */
const ED25519 = Buffer.from('302a300506032b6570032100', 'hex');

/** The end of a sealed conversation. */
export interface SealHead {
  readonly segment: number;
  readonly entries: number;
  readonly chain: string;
}

/** A head that was told before, and how many sealed lines came after it; undefined where it is none of this conversation. */
export interface EarlierHead extends SealHead {
  readonly behind: number | undefined;
}

/** A head of a file of anchors. */
export interface AnchoredHead extends EarlierHead {
  /** How far away it is kept; undefined where git was not asked. */
  readonly kept?: 'pushed' | 'committed' | 'local';
  /** How many sealed lines came after the newest one that is pushed, where it is another. */
  readonly pushedBehind?: number;
}

/** The text of a file of anchors, with what git knows of it: in the commit that is checked out, and in branches of remotes. */
export interface AnchorTexts {
  readonly text: string;
  readonly committed?: string;
  readonly pushed?: string;
}

export interface SignedHead extends EarlierHead {
  readonly key: string;
  readonly isGood: boolean;
  /** Whether the key is one of those that were named; undefined where none were. */
  readonly isTrusted?: boolean;
}

/** A file that is missing, or that does not follow the one that it names; numbers from 1. */
export interface SealGap {
  readonly file: number;
  readonly after?: number;
  /** Whether the seal of that file ends before what it is to follow, as far as it goes right: its end was lost or cut off. */
  readonly isEndLost?: true;
}

/** What the seals of a conversation prove. */
export interface SealReport {
  readonly session: string;
  readonly state: 'intact' | 'partly sealed' | 'broken' | 'not sealed';
  readonly files: number;
  readonly lines: number;
  readonly sealed: number;
  readonly unsealed: number;
  readonly breaks: readonly (SealBreak & { readonly file: number })[];
  /** Files that are missing, and those that do not follow the file before as that is now. */
  readonly gaps: readonly SealGap[];
  /** Files, from 1, whose chain does not go on from the end of the file before: what stood right before them is not proved. */
  readonly anew: readonly number[];
  readonly notes: readonly string[];
  readonly head?: SealHead;
  readonly signed?: SignedHead;
  readonly anchored?: AnchoredHead;
  /** The head that was timestamped, as far as its text tells it: the timestamp itself is not checked. */
  readonly stamped?: EarlierHead;
  /** The head with which a tombstone says that it was deleted, though it stands here. */
  readonly buried?: EarlierHead;
}

async function checksOf(paths: ConversationPaths, signal?: AbortSignal): Promise<readonly SealCheck[]> {
  const checks: SealCheck[] = [];
  for (const segment of await segmentsIn(paths)) {
    const [journal, seal] = [
      await readFile(paths.segment(segment), { signal }),
      await ifThere(sealOf(paths.segment(segment))),
    ];
    checks.push(await checkSeal(paths.id, segment, journal, seal, signal));
  }
  return checks;
}

async function ifThere(path: string): Promise<string | undefined> {
  return await readFile(path, 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
}

/** What a conversation is compared with: the text of a file of allowed signers, and a file of anchors. */
export interface SealComparison {
  readonly signers?: string | undefined;
  readonly anchors?: AnchorTexts | undefined;
  /** The heads with which conversations were deleted. */
  readonly deleted?: readonly { readonly conversation: string; readonly head: SealHead }[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Checks the seals of a conversation. Rejects where one of its files cannot be read, and where the signal says to end. */
export async function sealReport(
  paths: ConversationPaths,
  { signers, anchors, deleted = [], signal }: SealComparison = {},
): Promise<SealReport> {
  const checks = await checksOf(paths, signal);
  const sum = (of: (check: SealCheck) => number) => checks.reduce((all, check) => all + of(check), 0);
  const breaks = checks.flatMap((check) =>
    check.breaks.map((each) => ({ ...each, file: check.segment + 1 })),
  );
  const gaps = gapsIn(checks);
  const anew = anewIn(checks);
  const unsealed = sum((check) => check.unsealed);
  const isSealed = checks.some((check) => check.isSealed);
  const head = headOf(checks);
  const signed = await signedHead(paths, checks, signers);
  const anchored = anchors && anchoredHead(paths.id, checks, anchors);
  const stampedText = await ifThere(join(paths.folder, STAMPED));
  const stamped = stampedText === undefined ? undefined : newestAnchor(paths.id, checks, stampedText);
  // One of the same id that was recorded anew has other heads.
  const buried = deleted
    .filter(({ conversation }) => conversation === paths.id)
    .map((each) => ({ ...each.head, behind: behindOf(checks, each.head) }))
    .find(({ behind }) => behind !== undefined);
  return {
    session: paths.id,
    state:
      breaks.length + gaps.length > 0
        ? 'broken'
        : !isSealed
          ? 'not sealed'
          : unsealed + anew.length > 0
            ? 'partly sealed'
            : 'intact',
    files: checks.length,
    lines: sum((check) => check.lines),
    sealed: sum((check) => check.entries),
    unsealed,
    breaks,
    gaps,
    anew,
    notes: checks.flatMap((check) => check.notes),
    ...(head && { head }),
    ...(signed && { signed }),
    ...(anchored && { anchored }),
    ...(stamped && { stamped }),
    ...(buried && { buried }),
  };
}

/** The newest link of the seals in a conversation's folder, as they tell it; undefined where there is none. */
export async function headOfSeals(paths: ConversationPaths): Promise<SealHead | undefined> {
  for (const segment of (await segmentsIn(paths)).toReversed()) {
    const seal = await ifThere(sealOf(paths.segment(segment)));
    const { links } = await entriesOf(paths.id, segment, wholeLines(seal ?? ''), () => undefined);
    const link = links.at(-1);
    if (link) return { segment, entries: link.entries, chain: link.chain };
  }
  return undefined;
}

/** A number alone says nothing: a writer removes a file that never was on the disk for sure, and the next does not follow it. */
function gapsIn(checks: readonly SealCheck[]): readonly SealGap[] {
  return checks.flatMap(({ segment, after }): readonly SealGap[] => {
    if (!after) return [];
    const before = checks.find((check) => check.segment === after.segment);
    if (!before) return [{ file: after.segment + 1 }];
    if (before.links.some(({ chain }) => chain === after.chain)) return [];
    const isEndLost = before.unsealed > 0 && before.breaks.length === 0;
    return [{ file: segment + 1, after: after.segment + 1, ...(isEndLost && { isEndLost }) }];
  });
}

/** The sealed files that one chain from the first file on does not lead to, as from the end of the file before each. */
function anewIn(checks: readonly SealCheck[]): readonly number[] {
  return checks.flatMap(({ segment, isSealed, after }, at) => {
    const before = checks[at - 1];
    const goesOn =
      segment === 0 ||
      (before !== undefined &&
        after?.segment === before.segment &&
        after.chain === before.links.at(-1)?.chain);
    return isSealed && !goesOn ? [segment + 1] : [];
  });
}

/** The newest link of a conversation; undefined where nothing is sealed. */
function headOf(checks: readonly SealCheck[]): SealHead | undefined {
  const last = checks.findLast(({ entries }) => entries > 0);
  const link = last?.links.at(-1);
  return last && link && { segment: last.segment, entries: link.entries, chain: link.chain };
}

/** How many sealed lines came after a head; undefined where the conversation never had it. */
function behindOf(checks: readonly SealCheck[], { segment, entries, chain }: SealHead): number | undefined {
  const at = checks.findIndex((check) => check.segment === segment);
  const links = checks[at]?.links ?? [];
  if (!links.some((link) => link.entries === entries && link.chain === chain)) return undefined;
  return checks.slice(at).reduce((all, check) => all + check.entries, 0) - entries;
}

/** A head as it is signed and anchored. */
export function headText(conversation: string, { segment, entries, chain }: SealHead): string {
  return `agent-logbook head 1 ${JSON.stringify(conversation)} ${segment} ${entries} ${chain}\n`;
}

/** The heads in a text, with the conversations that they are of. */
export function allHeads(text: string): readonly (SealHead & { readonly id: string })[] {
  return text.split('\n').flatMap((line) => {
    const [, id, segment, entries, chain = ''] =
      /^agent-logbook head 1 "(.*)" (\d{1,4}) (\d{1,12}) ([\w-]{43})$/.exec(line.trimEnd()) ?? [];
    return id === undefined
      ? []
      : [{ id: unquoted(id), segment: Number(segment), entries: Number(entries), chain }];
  });
}

/** An id as JSON has it between its quotes; as it stands there where that is no JSON. */
export function unquoted(text: string): string {
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    return text;
  }
}

function headsIn(conversation: string, text: string): readonly SealHead[] {
  return allHeads(text).flatMap(({ id, ...head }) => (id === conversation ? [head] : []));
}

function anchoredHead(
  conversation: string,
  checks: readonly SealCheck[],
  { text, committed, pushed }: AnchorTexts,
): AnchoredHead | undefined {
  const newest = newestAnchor(conversation, checks, `${text}\n${pushed ?? ''}`);
  if (!newest || committed === undefined || pushed === undefined) return newest;
  const isIn = (where: string) =>
    headsIn(conversation, where).some(
      ({ segment, entries, chain }) =>
        segment === newest.segment && entries === newest.entries && chain === newest.chain,
    );
  if (isIn(pushed)) return { ...newest, kept: 'pushed' };
  const { behind } = newestAnchor(conversation, checks, pushed) ?? {};
  const kept = isIn(committed) ? 'committed' : 'local';
  return { ...newest, kept, ...(behind !== undefined && { pushedBehind: behind }) };
}

function newestAnchor(
  conversation: string,
  checks: readonly SealCheck[],
  anchors: string,
): EarlierHead | undefined {
  const heads = headsIn(conversation, anchors).map((head) => ({ ...head, behind: behindOf(checks, head) }));
  // One that the conversation does not have any more says that it was rewritten or cut.
  const newest = heads.toSorted((one, two) => (one.behind ?? 0) - (two.behind ?? 0))[0];
  return heads.find(({ behind }) => behind === undefined) ?? newest;
}

async function signedHead(
  { id, folder }: ConversationPaths,
  checks: readonly SealCheck[],
  signers: string | undefined,
): Promise<SignedHead | undefined> {
  const [text, armoured] = [await ifThere(join(folder, HEAD)), await ifThere(join(folder, SIGNATURE))];
  const [head] = headsIn(id, text ?? '');
  if (text === undefined || armoured === undefined || !head) return undefined;
  const { key, isGood } = checkSignature(Buffer.from(text), armoured);
  const isTrusted = signers === undefined ? undefined : isAllowed(key, signers);
  return {
    ...head,
    behind: behindOf(checks, head),
    key: `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`,
    isGood,
    ...(isTrusted !== undefined && { isTrusted }),
  };
}

/** Checks a signature of ssh-keygen -Y by an Ed25519 key; any other is not good here. */
function checkSignature(
  message: Buffer,
  armoured: string,
): { readonly key: Buffer; readonly isGood: boolean } {
  const blob = Buffer.from(armoured.replace(/-----[^-]+-----/g, ''), 'base64');
  let at = 10;
  const string = () => {
    const length = at + 4 <= blob.length ? blob.readUInt32BE(at) : 0;
    const taken = blob.subarray(at + 4, at + 4 + length);
    at += 4 + length;
    return taken;
  };
  const [key, namespace, reserved, hash, signature] = [string(), string(), string(), string(), string()];
  const named = (bytes: Buffer) => Buffer.concat([Buffer.of(0, 0, 0, bytes.length), bytes]);
  const [kind, raw] = [key.toString('latin1', 4, 15), key.subarray(19)];
  const isKnown =
    kind === 'ssh-ed25519' && raw.length === 32 && /^sha(?:256|512)$/.test(hash.toString('latin1'));
  if (
    blob.toString('latin1', 0, 6) !== 'SSHSIG' ||
    namespace.toString('latin1') !== SEAL_NAMESPACE ||
    !isKnown
  )
    return { key, isGood: false };
  const digest = createHash(hash.toString('latin1')).update(message).digest();
  const told = Buffer.concat([Buffer.from('SSHSIG'), ...[namespace, reserved, hash, digest].map(named)]);
  const publicKey = createPublicKey({ key: Buffer.concat([ED25519, raw]), format: 'der', type: 'spki' });
  return { key, isGood: verifySignature(null, told, publicKey, signature.subarray(-64)) };
}

/** Whether a key stands in a file of allowed signers, for this purpose and without an end to its validity. */
function isAllowed(key: Buffer, signers: string): boolean {
  const encoded = key.toString('base64');
  return signers.split('\n').some((line) => {
    const words = line.trim().split(/\s+/);
    if (line.startsWith('#') || !words.includes(encoded)) return false;
    const [namespaces] = /(?<=namespaces=")[^"]*/.exec(line) ?? [SEAL_NAMESPACE];
    return (
      namespaces.split(',').includes(SEAL_NAMESPACE) && !/valid-(?:before|after)=|cert-authority/.test(line)
    );
  });
}
