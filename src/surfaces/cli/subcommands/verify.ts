import { execFile } from 'node:child_process';
import { appendFile, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { whyUnread } from '../../../app/sources/whyUnread.js';
import { formatCount } from '../../../app/text/format.js';
import { UserError } from '../../../app/userError.js';
import { messageOf } from '../../../core/text.js';
import { writeAtomically } from '../../../node/atomicFile.js';
import { locate } from '../../../store/catalog/conversationFolders.js';
import type { ConversationPaths } from '../../../store/files/storePaths.js';
import { readTombstones, type Tombstone } from '../../../store/write/removeOwnFolder.js';
import {
  allHeads,
  HEAD,
  headText,
  sealReport,
  SEAL_NAMESPACE,
  SIGNATURE,
  type EarlierHead,
  type SealGap,
  type SealReport,
  type SignedHead,
} from '../../../store/write/sealReport.js';
import type { Call } from '../call.js';
import { WrongUse } from '../terminal.js';

/** It is not waited for a signature any longer, in milliseconds. */
const MAX_MS = 60_000;

/** Checks the seals of conversations; signs and anchors their heads where that is wanted. */
export async function verify(call: Call): Promise<void> {
  const { out, terminal } = call;
  const inFolder = (name: string) => resolve(terminal.cwd, name);
  const named = { signers: call.text('signers'), anchors: call.text('anchors') };
  const [signers, anchors] = [await textOf(named.signers, inFolder), await textOf(named.anchors, inFolder)];
  const seen = new Set<string>();
  for await (const session of call.sessions()) {
    if (session.kind !== 'stored')
      throw new WrongUse(
        `${session.where} is a file that another program wrote; only conversations of a store are sealed.`,
      );
    seen.add(session.id);
    const paths = await locate(session.where, session.id);
    const report = await sealReport(paths, { signers, anchors });
    if (report.state !== 'intact' || report.signed?.isGood === false || report.signed?.isTrusted === false)
      call.fail();
    if (report.signed?.behind === undefined && report.signed) call.fail();
    if (report.anchored && report.anchored.behind === undefined) call.fail();
    if (out.isJson) await out.tell('seal', { ...report, gaps: report.gaps.map(gapWords) });
    else await say(call, report);
    await keepHead(call, paths, report);
  }
  const root = call.words.length === 0 ? await call.sources.storeRoot() : undefined;
  if (root !== undefined) await tellDeleted(call, root, { seen, anchors });
}

/** Tells what was deleted of a store, and which conversations are anchored and neither here nor deleted. */
async function tellDeleted(
  call: Call,
  root: string,
  { seen, anchors = '' }: { readonly seen: ReadonlySet<string>; readonly anchors: string | undefined },
): Promise<void> {
  const { out } = call;
  const { tombstones, broken } = await readTombstones(root);
  if (broken !== undefined) {
    call.fail();
    if (out.isJson) await out.tell('deletions', { state: 'broken', line: broken });
    else await out.say(`Deletions: ${out.style('red', 'broken')}: line ${broken} of their file was changed`);
  }
  const anchored = allHeads(anchors);
  for (const { conversation, time, why, head } of tombstones) {
    const isAnchored = anchored.some(({ id, chain }) => id === conversation && chain === head.chain);
    const when = new Date(time).toISOString();
    if (out.isJson) await out.tell('deleted', { session: conversation, time, why, head, isAnchored });
    else
      await out.say(
        `${out.style('bold', out.line(conversation))}: deleted ${when}, ${WHY_WORDS[why]}; its last head was after ${formatCount(head.entries, 'line')}${isAnchored ? ', as it is anchored' : ''}`,
      );
  }
  const gone = new Set(tombstones.map(({ conversation }) => conversation));
  for (const id of new Set(anchored.map((head) => head.id))) {
    if (seen.has(id) || gone.has(id)) continue;
    if (out.isJson) await out.tell('missing', { session: id });
    else
      await out.say(
        `${out.style('bold', out.line(id))}: ${out.style('red', 'missing')}: it is anchored, and neither here nor deleted with a tombstone; it may be of another store`,
      );
  }
}

const WHY_WORDS = {
  asked: 'as somebody asked',
  retention: 'by the settings of retention',
  replaced: 'as a newer copy took its place',
  interrupted: 'by what had been cut off',
} as const satisfies Record<Tombstone['why'], string>;

async function textOf(
  name: string | undefined,
  inFolder: (name: string) => string,
): Promise<string | undefined> {
  if (name === undefined) return undefined;
  return await readFile(inFolder(name), 'utf8').catch((error: unknown) => {
    throw new UserError(`${name} cannot be read: ${whyUnread(error)}.`);
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
    const words = ['-Y', 'sign', '-f', key, '-n', SEAL_NAMESPACE];
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
  for (const gap of gaps) await row('', gapWords(gap));
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

function gapWords({ file, after }: SealGap): string {
  return after === undefined
    ? `file ${file} is missing`
    : `file ${file} does not follow file ${after} as that is now`;
}

function earlierWords({ behind, entries }: EarlierHead): string {
  return behind === undefined
    ? 'is not of what stands here now: it was rewritten, or an end was cut off'
    : `after ${entries} lines; ${behind} came later`;
}

function signedWords({ isGood, isTrusted, key, ...head }: SignedHead): string {
  const signer =
    isTrusted === undefined
      ? 'signer not checked, name --signers'
      : isTrusted
        ? 'a signer that was named'
        : 'no signer that was named';
  return isGood ? `${earlierWords(head)}; by ${key}, ${signer}` : 'its signature is not good here';
}
