// Checks the seal of a recorded conversation with nothing but Node: none of Agent Logbook's code is used.
//
//   node verify-seal.mjs .agent-logbook/conversations/ID [--anchors FILE] [--key "ssh-ed25519 AAAA…"]
//
// Beside each file of a journal lies its seal. Its first two lines say what it is of and what it follows; their SHA-256
// is the first link. Each line of the journal has an entry "COMMITMENT SALT", the SHA-256 of the salt, a newline and the
// line. "chain LINK BYTES" closes entries: the SHA-256 of the link before, a newline and their commitments, each with a
// newline. "note LINK BYTES TEXT" is the SHA-256 of the link before, " note " and the text. BYTES is how far the journal is
// sealed. Hashes are in base64url. The folder is named by the id, or by the hash of one that is no plain name. Ends with 0
// where all is sealed as the folder's own, in one chain from the first file on, as it was written, and as heads tell it.
import { createHash, createPublicKey, verify } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

const [folder, ...options] = process.argv.slice(2);
/** @param {string} name */
const option = (name) => (options.includes(name) ? options[options.indexOf(name) + 1] : undefined);
if (folder === undefined) {
  console.error('usage: node verify-seal.mjs FOLDER [--anchors FILE] [--key KEY]');
  process.exit(2);
}

/** @param {(string | Uint8Array)[]} parts */
const sha256 = (...parts) =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest('base64url');
/** @type {string[]} */
const problems = [];
/** @type {Map<number, ReturnType<typeof check>>} */
const segments = new Map();
let [sealed, unsealed] = [0, 0];
let conversation = '';

/** The lines of a file, as bytes. @param {Buffer} bytes */
function linesOf(bytes) {
  const lines = [];
  let from = 0;
  for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
    lines.push(bytes.subarray(from, end));
    from = end + 1;
  }
  if (from < bytes.length) unsealed++;
  return lines;
}

/**
 * Walks through a journal file and its seal, and gives the links of its lines, and what it follows.
 * @param {number} segment @param {Buffer} journal @param {string | undefined} seal
 * @returns {{ links: { entries: number, link: string }[], entries: number, after: { segment: number, chain: string } | undefined }}
 */
function check(segment, journal, seal) {
  const name = `file ${segment + 1}`;
  const lines = linesOf(journal);
  // A power cut leaves zeros, or a part of a line, where the last lines were being written.
  const written = (seal ?? '').replace(/\0.*$/s, '').replace(/[^\n]*$/, '');
  if (written.split('\n').length < 3) {
    unsealed += lines.length;
    return { links: [], entries: 0, after: undefined };
  }
  const [first, second, ...rest] = written.split('\n');
  const [, number, id = ''] =
    /^agent-logbook seal 2 (\d+) ("(?:[^"\\\p{Cc}]|\\(?:["\\bfnrt]|u[\da-f]{4}))+")$/u.exec(first) ?? [];
  conversation ||= id;
  if (Number(number) !== segment || id !== conversation || !/^after (nothing|\d+ [\w-]{43})$/.test(second))
    problems.push(`${name}: its seal is of something else`);
  let link = sha256(`${first}\n${second}\n`);
  /** @type {{ entries: number, link: string }[]} */
  const links = [];
  /** @type {string[][]} */
  const entries = [];
  /** @type {string[][]} */
  let open = [];
  /** @type {number[]} */
  const offsets = [];
  let [counted, end] = [0, 0];
  for (const [at, told] of rest.entries()) {
    const entry = /^([\w-]{43}) ([\w-]{24})$/.exec(told);
    if (entry) open.push(entry.slice(1));
    const [, kind, next, offset, note = ''] = /^(chain|note) ([\w-]{43}) (\d+)(?: (.*))?$/.exec(told) ?? [];
    if (!entry && kind === undefined && told !== '') problems.push(`${name}: line ${at + 3} of its seal`);
    if (next === undefined) continue;
    const chained = open.map(([commitment]) => `${commitment}\n`);
    const right = kind === 'note' ? sha256(`${link} note ${note}`) : sha256(`${link}\n`, ...chained);
    if (right !== next) problems.push(`${name}: line ${at + 3} of its seal is not as it was written`);
    if (kind === 'note') console.log(`${name}: noted: ${note}`);
    entries.push(...open);
    open = [];
    link = next;
    links.push({ entries: entries.length, link });
    for (; counted < entries.length; counted++) end += (lines[counted]?.length ?? 0) + 1;
    if (Number(offset) !== end) offsets.push(at + 3);
  }
  const before = problems.length;
  for (const [at, [commitment = '', salt = '']] of entries.entries()) {
    const line = lines[at];
    if (line === undefined) problems.push(`${name}: line ${at + 1} was removed`);
    else if (sha256(`${salt}\n`, line) !== commitment)
      problems.push(`${name}: line ${at + 1} is not as it was written`);
  }
  // Behind a line that was changed, removed or put in, none of them fits.
  if (problems.length === before)
    for (const line of offsets) problems.push(`${name}: line ${line} of its seal has another place`);
  unsealed += Math.max(0, lines.length - entries.length);
  sealed += entries.length;
  const [, follows, chain] = /^after (\d+) ([\w-]{43})$/.exec(second) ?? [];
  const after = follows === undefined ? undefined : { segment: Number(follows), chain };
  return { links, entries: entries.length, after };
}

const numbers = readdirSync(folder)
  .flatMap((name) => /^messages(?:\.(\d+))?\.jsonl$/.exec(name)?.slice(1) ?? [])
  .map((number) => (number === undefined ? 0 : Number(number) - 1))
  .sort((one, other) => one - other);
for (const [at, segment] of numbers.entries()) {
  const name = segment === 0 ? 'messages' : `messages.${segment + 1}`;
  const seal = join(folder, `${name}.seal`);
  const text = existsSync(seal) ? readFileSync(seal, 'utf8') : undefined;
  const found = check(segment, readFileSync(join(folder, `${name}.jsonl`)), text);
  segments.set(segment, found);
  const { after } = found;
  const last = segments.get(numbers[at - 1] ?? -1)?.links.at(-1)?.link;
  const goesOn = segment === 0 || (after?.segment === numbers[at - 1] && after?.chain === last);
  if (found.entries > 0 && !goesOn)
    problems.push(`the seal begins anew with file ${segment + 1}: what stood before it is not proved`);
  if (after && !segments.get(after.segment)?.links.some(({ link }) => link === after.chain))
    problems.push(`file ${segment + 1} does not follow file ${after.segment + 1} as that is now`);
}

// Of what is told of itself alone, anything could be put in its place.
const named = basename(resolve(folder));
const id = Buffer.from(JSON.parse(conversation || '""'), 'utf16le');
const hashed = createHash('sha256').update(id).digest('hex').slice(0, 16);
if (conversation && named !== id.toString('utf16le') && named.split('~')[1] !== hashed)
  problems.push(`the folder is not named by ${conversation}, of which its seal is`);

/** @typedef {{ segment: number, entries: number, link: string | undefined }} Head */

/** How many sealed lines came after a head; undefined where the conversation does not have it. @param {Head} head */
function behind({ segment, entries, link }) {
  if (!segments.get(segment)?.links.some((each) => each.entries === entries && each.link === link))
    return undefined;
  const later = [...segments].filter(([number]) => number >= segment);
  return later.reduce((sum, [, found]) => sum + found.entries, 0) - entries;
}

/** @param {string} text @returns {Head[]} */
function headsIn(text) {
  const heads = text.matchAll(/^agent-logbook head 1 (".*") (\d+) (\d+) ([\w-]{43})\r?$/gm);
  return [...heads].flatMap(([, id, segment, entries, link]) =>
    id === conversation ? [{ segment: Number(segment), entries: Number(entries), link }] : [],
  );
}

/** @param {string} what @param {Head[]} heads */
function tell(what, heads) {
  if (heads.length === 0) problems.push(`${what}: none is of this conversation`);
  for (const count of heads.map(behind))
    if (count === undefined)
      problems.push(`${what}: not of what stands here; it was rewritten, or an end was cut off`);
    else console.log(`${what}: holds; ${count} sealed lines came after it`);
}

/** The strings of an SSH structure. @param {Buffer} bytes */
function stringsIn(bytes) {
  const strings = [];
  for (let at = 0; at + 4 <= bytes.length;) {
    const length = bytes.readUInt32BE(at);
    strings.push(bytes.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return strings;
}

const wanted = option('--key');
const headFile = join(folder, 'messages.head');
if (existsSync(headFile) && existsSync(`${headFile}.sig`)) {
  const text = readFileSync(headFile);
  const blob = Buffer.from(readFileSync(`${headFile}.sig`, 'utf8').replace(/-----[^-]+-----/g, ''), 'base64');
  const [key, namespace, reserved, hash, signature] = stringsIn(blob.subarray(10));
  const [, raw] = stringsIn(key);
  /** @param {Uint8Array} bytes */
  const string = (bytes) => Buffer.concat([Buffer.of(0, 0, 0, bytes.length), bytes]);
  const digest = createHash(hash.toString()).update(text).digest();
  const signed = Buffer.concat([Buffer.from('SSHSIG'), ...[namespace, reserved, hash, digest].map(string)]);
  const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), raw]);
  const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' });
  const isOurs = namespace.toString() === 'seal@agent-logbook';
  const isGood = isOurs && verify(null, signed, publicKey, signature.subarray(-64));
  const what = wanted === undefined ? 'signed head (by a key that nobody named)' : 'signed head';
  if (!isGood) problems.push('the signature of the head is not good');
  else if (wanted !== undefined && !wanted.split(' ').includes(key.toString('base64')))
    problems.push('the head is signed by another key');
  else tell(what, headsIn(text.toString()));
} else if (wanted !== undefined) problems.push('no head is signed');
const anchors = option('--anchors');
if (anchors !== undefined) tell('anchor', headsIn(readFileSync(anchors, 'utf8')));

console.log(`${sealed} lines are sealed, ${unsealed} are not`);
for (const problem of problems) console.log(`BROKEN ${problem}`);
process.exitCode = problems.length > 0 || unsealed > 0 || sealed === 0 ? 1 : 0;
