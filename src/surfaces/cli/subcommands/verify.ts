import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { appendFile, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { anchorsIn, readStamp, SHA256, stampOf } from '../../../app/sources/sealStamp.js';
import { whyUnread } from '../../../app/sources/whyUnread.js';
import { formatCount } from '../../../app/text/format.js';
import { gapWords, isWrong, sealWords, type SealTelling } from '../../../app/text/sealWords.js';
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
  STAMP,
  STAMPED,
  type AnchorTexts,
  type SealReport,
} from '../../../store/write/sealReport.js';
import type { Call } from '../call.js';
import { WrongUse } from '../terminal.js';

/** It is not waited for a signature any longer, in milliseconds. */
const MAX_MS = 60_000;

/** Checks the seals of conversations; signs and anchors their heads where that is wanted. */
export async function verify(call: Call): Promise<void> {
  const { out, terminal } = call;
  const inFolder = (name: string) => resolve(terminal.cwd, name);
  const signers = await textOf(call.text('signers'), inFolder);
  const anchors = await anchorsOf(call, call.text('anchors'), inFolder);
  const certificates = call.text('authorities');
  // They are read by openssl; that they can be is seen before anything is checked.
  await textOf(certificates, inFolder);
  const authorities = certificates === undefined ? undefined : inFolder(certificates);
  const seen = new Set<string>();
  for await (const session of call.sessions()) {
    if (session.kind !== 'stored')
      throw new WrongUse(
        `${session.where} is a file that another program wrote; only conversations of a store are sealed.`,
      );
    seen.add(session.id);
    const paths = await locate(session.where, session.id);
    const { tombstones: deleted } = await readTombstones(paths.root);
    const report = await sealReport(paths, { signers, anchors, deleted, signal: call.signal });
    const stamp = report.stamped && (await stampOf(paths, report.stamped, authorities, call.signal));
    if (report.state !== 'intact' || isWrong(report, stamp)) call.fail();
    const told = { ...report, gaps: report.gaps.map(gapWords), ...(stamp && { stamped: stamp }) };
    if (out.isJson) await out.tell('seal', told);
    else await say(call, report, { hasAnchors: anchors !== undefined, stamp });
    await keepHead(call, paths, report);
  }
  const root = call.words.length === 0 ? await call.sources.storeRoot() : undefined;
  if (root !== undefined) await tellDeleted(call, root, { seen, anchors });
}

/** Tells what was deleted of a store, and which conversations are anchored and neither here nor deleted. */
async function tellDeleted(
  call: Call,
  root: string,
  { seen, anchors }: { readonly seen: ReadonlySet<string>; readonly anchors: AnchorTexts | undefined },
): Promise<void> {
  const { out } = call;
  const { tombstones, broken } = await readTombstones(root);
  if (broken !== undefined) {
    call.fail();
    if (out.isJson) await out.tell('deletions', { state: 'broken', line: broken });
    else await out.say(`Deletions: ${out.style('red', 'broken')}: line ${broken} of their file was changed`);
  }
  const anchored = allHeads(`${anchors?.text ?? ''}\n${anchors?.pushed ?? ''}`);
  for (const { conversation, time, why, head } of tombstones) {
    const isAnchored = anchored.some(({ id, chain }) => id === conversation && chain === head.chain);
    const when = new Date(time).toISOString();
    if (out.isJson) await out.tell('deleted', { session: conversation, time, why, head, isAnchored });
    else
      await out.say(
        `${out.style('bold', out.line(conversation))}: deleted ${when}, ${WHY_WORDS[why]}; its last head was after ${formatCount(head.entries, 'line')}${isAnchored ? ', as it is anchored' : ''}`,
      );
  }
  // One whose last head is before one that was kept is not of that conversation as it was.
  const gone = new Set(
    tombstones
      .filter(({ conversation, head }) => {
        const kept = anchored.filter(({ id }) => id === conversation);
        return kept.every(
          ({ segment, entries }) =>
            head.segment > segment || (head.segment === segment && head.entries >= entries),
        );
      })
      .map(({ conversation }) => conversation),
  );
  for (const id of new Set(anchored.map((head) => head.id))) {
    if (seen.has(id) || (gone.has(id) && broken === undefined)) continue;
    call.fail();
    if (out.isJson) await out.tell('missing', { session: id });
    else
      await out.say(
        `${out.style('bold', out.line(id))}: ${out.style('red', 'missing')}: it is anchored, and neither here nor deleted with a tombstone that fits what was kept of it; it may be of another store`,
      );
  }
}

const WHY_WORDS = {
  asked: 'as somebody asked',
  retention: 'by the settings of retention',
  replaced: 'as a newer copy took its place',
  interrupted: 'by what had been cut off',
} as const satisfies Record<Tombstone['why'], string>;

/** The heads in a file, with what git knows of it where it may be asked. */
async function anchorsOf(
  call: Call,
  name: string | undefined,
  inFolder: (name: string) => string,
): Promise<AnchorTexts | undefined> {
  const text = await textOf(name, inFolder);
  if (name === undefined || text === undefined) return undefined;
  return call.has('no-git') ? { text } : await anchorsIn({ text, path: inFolder(name), name }, call.signal);
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

/** Signs the head of a conversation, or adds it to a file of anchors, where that is wanted. */
async function keepHead(
  call: Call,
  { id, folder }: ConversationPaths,
  { head, state }: SealReport,
): Promise<void> {
  const [key, anchor, authority] = [call.text('sign'), call.text('anchor'), call.text('timestamp')];
  if (key === undefined && anchor === undefined && authority === undefined) return;
  if (!head || state === 'broken' || state === 'not sealed')
    throw new UserError(`The head of ${id} is neither signed, anchored nor timestamped: it is ${state}.`);
  const text = headText(id, head);
  if (key !== undefined) {
    const signature = await sign(text, resolve(call.terminal.cwd, key), call.signal);
    await writeAtomically(join(folder, HEAD), Buffer.from(text));
    await writeAtomically(join(folder, SIGNATURE), Buffer.from(signature));
    await call.out.note(`The head of ${id} is signed.`);
  }
  if (authority !== undefined) {
    // With its signature, which then is shown to be older than the loss of its key.
    const signature = key === undefined ? '' : await readFile(join(folder, SIGNATURE), 'utf8');
    const stamped = Buffer.from(`${text}${signature}`);
    const answer = await timestamp(stamped, authority, call.signal);
    await writeAtomically(join(folder, STAMPED), stamped);
    await writeAtomically(join(folder, STAMP), answer);
    await call.out.note(`The head of ${id} is timestamped.`);
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

async function say({ out }: Call, report: SealReport, telling: SealTelling): Promise<void> {
  const { session, state } = report;
  const told = sealWords(report, telling);
  await out.say(
    `${out.style('bold', out.line(session))}: ${out.style(isWrong(report, telling.stamp) || state !== 'intact' ? 'red' : 'green', state)}`,
  );
  const row = async (name: string, text: string | undefined) => {
    if (text !== undefined) await out.say(`  ${out.style('dim', name.padEnd(13))} ${out.line(text)}`);
  };
  await row('Seal', told.sentence);
  for (const change of told.changes) await row('Change', change.filter((part) => part !== '').join(', '));
  if (told.more > 0) await row('Change', `${told.more} further places are not named.`);
  await row('Integrity', told.integrity);
  await row('Completeness', told.completeness);
  await row('Truth', told.truth);
  await row('Signed head', told.signed);
  await row('Anchor', told.anchored);
  await row('Timestamp', told.stamped);
  for (const note of told.notes) await row('Noted', note);
  await row('Head', told.head);
}

/** Longer answers of an authority are not taken, in bytes. */
const MAX_ANSWER = 256 * 1024;
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const value = Buffer.concat(parts);
  if (value.length > 0x7f) throw new Error('Too long for a request');
  return Buffer.concat([Buffer.of(tag, value.length), value]);
}

/** Asks a time-stamping authority for a timestamp of a text, of which only the SHA-256 goes to it. Gives its answer as it came. */
async function timestamp(text: Buffer, authority: string, signal: AbortSignal): Promise<Buffer> {
  const address = URL.canParse(authority) ? new URL(authority) : undefined;
  if (!address || !/^https?:$/.test(address.protocol))
    throw new WrongUse(
      `--timestamp needs the address of an authority, as http://tsa.example.com; this is none: ${authority}`,
    );
  const hash = createHash('sha256').update(text).digest();
  const nonce = Buffer.concat([Buffer.of(1), randomBytes(8)]);
  const imprint = der(0x30, der(0x30, SHA256, Buffer.of(5, 0)), der(4, hash));
  const request = der(0x30, Buffer.of(2, 1, 1), imprint, der(2, nonce), Buffer.of(1, 1, 0xff));
  const failed = (why: string) => new UserError(`${address.host} gave no timestamp: ${why}.`);
  const response = await fetch(address, {
    method: 'POST',
    body: new Uint8Array(request),
    headers: { 'content-type': 'application/timestamp-query', accept: 'application/timestamp-reply' },
    signal: AbortSignal.any([signal, AbortSignal.timeout(MAX_MS)]),
    redirect: 'error',
  }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw failed(messageOf(error instanceof Error && error.cause !== undefined ? error.cause : error));
  });
  if (!response.ok) throw failed(`its answer is ${response.status}`);
  const answer = await boundedBody(response);
  if (!answer) throw failed(`its answer is larger than ${MAX_ANSWER} bytes`);
  const said = readStamp(answer);
  if (!said) throw failed('its answer is no granted timestamp');
  if (!said.hash.equals(hash) || !said.text.includes(der(2, nonce)))
    throw failed('its answer is to another request');
  return answer;
}

async function boundedBody(response: Response): Promise<Buffer | undefined> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  if (!response.body) return Buffer.alloc(0);
  for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
    size += piece.length;
    if (size > MAX_ANSWER) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
