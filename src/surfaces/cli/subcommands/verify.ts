import { execFile } from 'node:child_process';
import { createHash, createPublicKey, verify as verifySignature } from 'node:crypto';
import { appendFile, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { whyUnread } from '../../../app/sources/whyUnread.js';
import { formatCount } from '../../../app/text/format.js';
import { UserError } from '../../../app/userError.js';
import { errorCode } from '../../../core/errorCode.js';
import { messageOf } from '../../../core/text.js';
import { writeAtomically } from '../../../node/atomicFile.js';
import { locate } from '../../../store/catalog/conversationFolders.js';
import type { ConversationPaths } from '../../../store/files/storePaths.js';
import { segmentsIn } from '../../../store/read/journalLines.js';
import { checkSeal, type SealBreak, type SealCheck, sealOf } from '../../../store/write/segmentFile.js';
import type { Call } from '../call.js';
import { WrongUse } from '../terminal.js';

/** What a signature of a head is for: no signature of another purpose passes for one. */
const NAMESPACE = 'seal@agent-logbook';
/** The newest head that was signed, and its signature, in the folder of a conversation. */
const HEAD = 'messages.head';
const SIGNATURE = 'messages.head.sig';
/** It is not waited for a signature any longer, in milliseconds. */
const MAX_MS = 60_000;
/** The SubjectPublicKeyInfo of an Ed25519 key is this and its 32 bytes. */
const ED25519 = Buffer.from('302a300506032b6570032100', 'hex');

/** The end of a sealed conversation. */
interface Head {
  readonly segment: number;
  readonly entries: number;
  readonly chain: string;
}

/** A head that was told before, and how many sealed lines came after it; undefined where it is none of this conversation. */
interface Earlier extends Head {
  readonly behind: number | undefined;
}

interface Signed extends Earlier {
  readonly key: string;
  readonly isGood: boolean;
  /** Whether the key is one of those that were named; undefined where none were. */
  readonly isTrusted?: boolean;
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
  /** Files that are missing, or that do not follow those before. */
  readonly gaps: readonly string[];
  readonly notes: readonly string[];
  readonly head?: Head;
  readonly signed?: Signed;
  readonly anchored?: Earlier;
}

/** Checks the seals of conversations; signs and anchors their heads where that is wanted. */
export async function verify(call: Call): Promise<void> {
  const { out, terminal } = call;
  const inFolder = (name: string) => resolve(terminal.cwd, name);
  const named = { signers: call.text('signers'), anchors: call.text('anchors') };
  const [signers, anchors] = [await textOf(named.signers, inFolder), await textOf(named.anchors, inFolder)];
  for await (const session of call.sessions()) {
    if (session.kind !== 'stored')
      throw new WrongUse(
        `${session.where} is a file that another program wrote; only conversations of a store are sealed.`,
      );
    const paths = await locate(session.where, session.id);
    const checks = await checksOf(paths);
    const report = await reportOf(paths, checks, { signers, anchors });
    if (report.state !== 'intact' || report.signed?.isGood === false || report.signed?.isTrusted === false)
      call.fail();
    if (report.signed?.behind === undefined && report.signed) call.fail();
    if (report.anchored && report.anchored.behind === undefined) call.fail();
    if (out.isJson) await out.tell('seal', report);
    else await say(call, report);
    await keepHead(call, paths, report);
  }
}

async function textOf(
  name: string | undefined,
  inFolder: (name: string) => string,
): Promise<string | undefined> {
  if (name === undefined) return undefined;
  return await readFile(inFolder(name), 'utf8').catch((error: unknown) => {
    throw new UserError(`${name} cannot be read: ${whyUnread(error)}.`);
  });
}

/** Checks the seals of a stored conversation. */
export async function verifyConversation(root: string, conversation: string): Promise<SealReport> {
  const paths = await locate(root, conversation);
  return await reportOf(paths, await checksOf(paths), { signers: undefined, anchors: undefined });
}

async function checksOf(paths: ConversationPaths): Promise<readonly SealCheck[]> {
  const checks: SealCheck[] = [];
  for (const segment of await segmentsIn(paths)) {
    const [journal, seal] = [
      await readFile(paths.segment(segment)),
      await ifThere(sealOf(paths.segment(segment))),
    ];
    checks.push(checkSeal(paths.id, segment, journal, seal));
  }
  return checks;
}

async function ifThere(path: string): Promise<string | undefined> {
  return await readFile(path, 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
}

async function reportOf(
  paths: ConversationPaths,
  checks: readonly SealCheck[],
  { signers, anchors }: { readonly signers: string | undefined; readonly anchors: string | undefined },
): Promise<SealReport> {
  const sum = (of: (check: SealCheck) => number) => checks.reduce((all, check) => all + of(check), 0);
  const breaks = checks.flatMap((check) =>
    check.breaks.map((each) => ({ ...each, file: check.segment + 1 })),
  );
  const gaps = gapsIn(checks);
  const unsealed = sum((check) => check.unsealed);
  const isSealed = checks.some((check) => check.isSealed);
  const last = checks.findLast((check) => check.entries > 0);
  const head = last && { segment: last.segment, entries: last.entries, chain: last.chains.at(-1) ?? '' };
  const signed = await signedHead(paths, checks, signers);
  const anchored = anchors === undefined ? undefined : newestAnchor(paths.id, checks, anchors);
  return {
    session: paths.id,
    state:
      breaks.length + gaps.length > 0
        ? 'broken'
        : !isSealed
          ? 'not sealed'
          : unsealed > 0
            ? 'partly sealed'
            : 'intact',
    files: checks.length,
    lines: sum((check) => check.lines),
    sealed: sum((check) => check.entries),
    unsealed,
    breaks,
    gaps,
    notes: checks.flatMap((check) => check.notes),
    ...(head && { head }),
    ...(signed && { signed }),
    ...(anchored && { anchored }),
  };
}

function gapsIn(checks: readonly SealCheck[]): readonly string[] {
  return checks.flatMap((check, at) => {
    const told: string[] = [];
    if (check.segment !== at && check.segment !== (checks[at - 1]?.segment ?? -1) + 1)
      told.push(`file ${check.segment} is missing`);
    const { after } = check;
    const before = after && checks.find(({ segment }) => segment === after.segment);
    if (after && !(before?.chains.includes(after.chain) ?? false))
      told.push(`file ${check.segment + 1} does not follow file ${after.segment + 1} as that is now`);
    return told;
  });
}

/** How many sealed lines came after a head; undefined where the conversation never had it. */
function behindOf(checks: readonly SealCheck[], { segment, entries, chain }: Head): number | undefined {
  const at = checks.findIndex((check) => check.segment === segment);
  if (at < 0 || checks[at]?.chains[entries - 1] !== chain) return undefined;
  return checks.slice(at).reduce((all, check) => all + check.entries, 0) - entries;
}

function headText(conversation: string, { segment, entries, chain }: Head): string {
  return `agent-logbook head 1 ${JSON.stringify(conversation)} ${segment} ${entries} ${chain}\n`;
}

function headsIn(conversation: string, text: string): readonly Head[] {
  return text.split('\n').flatMap((line) => {
    const [, id = '""', segment, entries, chain = ''] =
      /^agent-logbook head 1 (".*") (\d{1,4}) (\d{1,12}) ([\w-]{43})$/.exec(line.trimEnd()) ?? [];
    return id === JSON.stringify(conversation)
      ? [{ segment: Number(segment), entries: Number(entries), chain }]
      : [];
  });
}

function newestAnchor(
  conversation: string,
  checks: readonly SealCheck[],
  anchors: string,
): Earlier | undefined {
  const heads = headsIn(conversation, anchors).map((head) => ({ ...head, behind: behindOf(checks, head) }));
  // One that the conversation does not have any more says that it was rewritten or cut.
  return heads.find(({ behind }) => behind === undefined) ?? heads.at(-1);
}

async function signedHead(
  { id, folder }: ConversationPaths,
  checks: readonly SealCheck[],
  signers: string | undefined,
): Promise<Signed | undefined> {
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
  if (blob.toString('latin1', 0, 6) !== 'SSHSIG' || namespace.toString('latin1') !== NAMESPACE || !isKnown)
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
    const [namespaces] = /(?<=namespaces=")[^"]*/.exec(line) ?? [NAMESPACE];
    return namespaces.split(',').includes(NAMESPACE) && !/valid-(?:before|after)=|cert-authority/.test(line);
  });
}

/** Signs the head of a conversation, or adds it to a file of anchors, where that is wanted. */
async function keepHead(
  call: Call,
  { id, folder }: ConversationPaths,
  { head, state }: SealReport,
): Promise<void> {
  const [key, anchor] = [call.text('sign'), call.text('anchor')];
  if (key === undefined && anchor === undefined) return;
  if (!head || state === 'broken' || state === 'not sealed')
    throw new UserError(`The head of ${id} is neither signed nor anchored: it is ${state}.`);
  const text = headText(id, head);
  if (key !== undefined) {
    const signature = await sign(text, resolve(call.terminal.cwd, key), call.signal);
    await writeAtomically(join(folder, HEAD), Buffer.from(text));
    await writeAtomically(join(folder, SIGNATURE), Buffer.from(signature));
    await call.out.note(`The head of ${id} is signed.`);
  }
  if (anchor === undefined) return;
  await appendFile(resolve(call.terminal.cwd, anchor), text);
  await call.out.note(
    `The head of ${id} stands in ${anchor}; it counts once that is where its writer cannot change it.`,
  );
}

function sign(text: string, key: string, signal: AbortSignal): Promise<string> {
  return new Promise((done, fail) => {
    const env = { ...process.env, SSH_ASKPASS_REQUIRE: 'never' };
    const words = ['-Y', 'sign', '-f', key, '-n', NAMESPACE];
    const child = execFile(
      'ssh-keygen',
      words,
      { signal, timeout: MAX_MS, env, windowsHide: true },
      (error, stdout, stderr) => {
        const why = stderr.trim().split('\n').at(-1) ?? '';
        if (error)
          fail(new UserError(`ssh-keygen does not sign with ${key}: ${why === '' ? messageOf(error) : why}`));
        else done(stdout);
      },
    );
    // It may end before it has read what it is to sign.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(text);
  });
}

const KINDS = {
  changed: 'was changed',
  removed: 'was removed',
  inserted: 'was put in',
  moved: 'was moved',
  seal: 'of the seal was changed',
} as const;

/** How many breaks are told one by one. */
const MAX_BREAKS = 20;

async function say({ out }: Call, report: SealReport): Promise<void> {
  const { session, state, lines, sealed, unsealed, breaks, gaps, notes, head, signed, anchored } = report;
  await out.say(
    `${out.style('bold', out.line(session))}: ${out.style(state === 'intact' ? 'green' : 'red', state)}`,
  );
  const row = async (name: string, text: string) =>
    out.say(`  ${out.style('dim', name.padEnd(13))} ${out.line(text)}`);
  await row(
    'Integrity',
    `${formatCount(sealed, 'line')} sealed of ${lines}${unsealed > 0 ? `; ${unsealed} behind the seal or without one` : ''}`,
  );
  for (const { kind, file, line, seq } of breaks.slice(0, MAX_BREAKS))
    await row('', `line ${line} of file ${file} ${KINDS[kind]}${seq === undefined ? '' : `, record ${seq}`}`);
  if (breaks.length > MAX_BREAKS) await row('', `${breaks.length - MAX_BREAKS} more`);
  for (const gap of gaps) await row('', gap);
  const tail = signed?.behind ?? anchored?.behind;
  await row(
    'Completeness',
    tail === undefined
      ? 'not proved: without a signed head or an anchor that it still has, nobody sees that an end was cut off'
      : `proved up to a head that ${formatCount(tail, 'sealed line')} came after; of these nobody would miss one`,
  );
  await row('Truth', 'a seal does not say whether what was recorded is so');
  await row('Signed head', signed ? signedWords(signed) : 'none');
  await row('Anchor', anchored ? earlierWords(anchored) : 'none that was named');
  for (const note of notes) await row('Noted', note);
  if (head) await row('Head', `${head.segment} ${head.entries} ${head.chain}`);
}

function earlierWords({ behind, entries }: Earlier): string {
  return behind === undefined
    ? 'is not of what stands here now: it was rewritten, or an end was cut off'
    : `after ${entries} lines; ${behind} came later`;
}

function signedWords({ isGood, isTrusted, key, ...head }: Signed): string {
  const signer =
    isTrusted === undefined
      ? 'signer not checked, name --signers'
      : isTrusted
        ? 'a signer that was named'
        : 'no signer that was named';
  return isGood ? `${earlierWords(head)}; by ${key}, ${signer}` : 'its signature is not good here';
}
