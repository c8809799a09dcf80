import { execFileSync, spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { appendFile, cp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../../../src/app/stores/openStore.js';
import { silentLog } from '../../../../src/core/ports/log.js';
import { pathsOf } from '../../../../src/store/files/storePaths.js';
import { makeRoot } from '../../../../src/store/files/storeRoot.js';
import { JournalFiles } from '../../../../src/store/write/journalFiles.js';
import { readTombstones } from '../../../../src/store/write/removeOwnFolder.js';
import { linkOfNote, sealOf } from '../../../../src/store/write/segmentFile.js';
import { agentLogbook } from '../../../support/commandLine.js';
import { temporaryFolder } from '../../../support/storeFixture.js';
import { timeStamping } from '../../../support/timeStamping.js';

const ID = 'c_sealed';
const EXAMPLE = join(import.meta.dirname, '../../../../examples/verify-seal.mjs');

/** Writes records of a conversation, and gives where it is. */
async function sealed(cwd: string, records = 6) {
  const paths = pathsOf(join(cwd, '.agent-logbook'), ID);
  const files = new JournalFiles({ paths, created: 1, log: silentLog, segmentBytes: 500 });
  for (let seq = 1; seq <= records; seq++) {
    const place = {
      id: `m_${seq}`,
      time: seq,
      conversation: ID,
      run: 'r',
      call: 'k',
      agent: 'Baker',
      depth: 0,
    };
    const said = { seq, type: 'message', ...place, message: { role: 'user', content: `said ${seq}` } };
    await files.append(Buffer.from(`${JSON.stringify(said)}\n`));
    await files.sync();
  }
  await files.close();
  return paths;
}

/** What the command says, and whether the program without our code agrees that all is well. */
async function verified(cwd: string, ...words: string[]) {
  const ran = await agentLogbook(['verify', ...words, '--json'], { cwd });
  const anchors = words.includes('--anchors')
    ? ['--anchors', words[words.indexOf('--anchors') + 1] ?? '']
    : [];
  const { folder } = pathsOf(join(cwd, '.agent-logbook'), ID);
  const other = spawnSync(process.execPath, [EXAMPLE, folder, ...anchors], { cwd, encoding: 'utf8' });
  expect({ status: other.status, out: other.stdout }).toMatchObject({ status: ran.code });
  return { ...ran, told: ran.json[0], other: other.stdout };
}

test('a conversation that nobody touched is intact, and what a seal cannot say is said', async () => {
  const cwd = await temporaryFolder();
  await sealed(cwd);
  const { code, told } = await verified(cwd);
  expect({ code, told }).toMatchObject({
    code: 0,
    told: { kind: 'seal', state: 'intact', unsealed: 0, breaks: [] },
  });
  expect((told as { files: number }).files).toBeGreaterThan(1);
  const { out } = await agentLogbook(['verify'], { cwd });
  expect(out).toMatch(/Completeness +Not proved/);
  expect(out).toMatch(/Truth +A seal does not say/);
});

test('what was changed is named, by both programs', async () => {
  const cwd = await temporaryFolder();
  const paths = await sealed(cwd);
  const journal = await readFile(paths.segment(0), 'utf8');
  await writeFile(paths.segment(0), journal.replace('said 2', 'said 9'));
  const { code, told, other } = await verified(cwd);
  expect({ code, told }).toMatchObject({
    code: 1,
    told: { state: 'broken', breaks: [{ kind: 'changed', file: 1, line: 3, seq: 2 }] },
  });
  expect(other).toContain('BROKEN file 1: line 3 is not as it was written');
  await writeFile(paths.segment(0), journal);
  const seal = await readFile(sealOf(paths.segment(0)), 'utf8');
  await writeFile(
    sealOf(paths.segment(0)),
    seal.replace(/\d+\n$/, (offset) => `${Number(offset) + 1}\n`),
  );
  const moved = await verified(cwd);
  const line = seal.trimEnd().split('\n').length;
  expect(moved.told).toMatchObject({ state: 'broken', breaks: [{ kind: 'seal', file: 1, line }] });
  expect(moved.other).toContain(`BROKEN file 1: line ${line} of its seal has another place`);
});

test('a file that is missing, and one that was put back from before, are seen by the file behind them', async () => {
  const cwd = await temporaryFolder();
  const paths = await sealed(cwd);
  const kept = join(cwd, 'kept');
  await cp(paths.folder, kept, { recursive: true });
  await rm(paths.segment(0));
  expect((await verified(cwd)).told).toMatchObject({
    state: 'broken',
    gaps: expect.arrayContaining([expect.any(String)]),
  });
  await cp(kept, paths.folder, { recursive: true });
  const [journal, seal] = [
    await readFile(paths.segment(0), 'utf8'),
    await readFile(sealOf(paths.segment(0)), 'utf8'),
  ];
  const cut = journal.trimEnd().lastIndexOf('\n') + 1;
  await writeFile(paths.segment(0), journal.slice(0, cut));
  await writeFile(
    sealOf(paths.segment(0)),
    seal.slice(0, seal.trimEnd().lastIndexOf('\n', seal.trimEnd().lastIndexOf('\n') - 1) + 1),
  );
  expect((await verified(cwd)).told).toMatchObject({ state: 'broken', breaks: [] });
});

test('an end that was cut off is seen by a signed head and by an anchor, and by nothing else', async () => {
  const cwd = await temporaryFolder();
  const paths = await sealed(cwd);
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(cwd, 'key')]);
  const key = await readFile(join(cwd, 'key.pub'), 'utf8');
  await writeFile(join(cwd, 'allowed'), `me@example.com namespaces="seal@agent-logbook" ${key}`);
  expect((await agentLogbook(['verify', '--sign', 'key', '--anchor', 'anchors.txt'], { cwd })).code).toBe(0);
  const told = (await verified(cwd, '--anchors', 'anchors.txt', '--signers', 'allowed')).told;
  expect(told).toMatchObject({
    state: 'intact',
    signed: { isGood: true, isTrusted: true, behind: 0 },
    anchored: { behind: 0 },
  });
  const head = join(paths.folder, 'messages.head');
  execFileSync(
    'ssh-keygen',
    [
      '-Y',
      'verify',
      '-f',
      'allowed',
      '-I',
      'me@example.com',
      '-n',
      'seal@agent-logbook',
      '-s',
      `${head}.sig`,
    ],
    { cwd, input: await readFile(head), stdio: ['pipe', 'ignore', 'ignore'] },
  );
  // The last file, with its seal: what is left is a whole chain.
  const last =
    [4, 3, 2, 1].find((segment) => (told as { head: { segment: number } }).head.segment === segment) ?? 0;
  await rm(paths.segment(last));
  await rm(sealOf(paths.segment(last)));
  const cut = await verified(cwd, '--anchors', 'anchors.txt');
  expect(cut.code).toBe(1);
  expect(cut.told).toMatchObject({ state: 'intact' });
  expect(cut.told?.signed).not.toHaveProperty('behind');
  expect(cut.told?.anchored).not.toHaveProperty('behind');
  await rm(head);
  expect((await verified(cwd)).told).toMatchObject({ state: 'intact' });
});

test('an anchor says whether it is committed and pushed, as far as git knows, and one that was taken out of the file counts', async () => {
  const cwd = await temporaryFolder();
  await sealed(cwd);
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(cwd, 'key')]);
  const git = (...words: string[]) =>
    execFileSync(
      'git',
      ['-c', 'user.name=A', '-c', 'user.email=a@example.com', '-c', 'gpg.format=ssh', ...words],
      { cwd, encoding: 'utf8', env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' }, stdio: 'pipe' },
    );
  git('init', '-q', '-b', 'main');
  const anchored = async (...words: string[]) =>
    (await verified(cwd, '--anchors', 'anchors.txt', ...words)).told?.anchored;
  await agentLogbook(['verify', '--anchor', 'anchors.txt'], { cwd });
  expect(await anchored()).toMatchObject({ behind: 0, kept: 'local' });
  expect(await anchored('--no-git')).not.toHaveProperty('kept');
  git('add', 'anchors.txt');
  git('commit', '-qm', 'anchor');
  expect(await anchored()).toMatchObject({ behind: 0, kept: 'committed' });
  git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/heads/main');
  expect(await anchored()).toMatchObject({ behind: 0, kept: 'committed' });
  git('symbolic-ref', '-d', 'refs/remotes/origin/HEAD');
  execFileSync('git', ['init', '-q', '--bare', 'remote.git'], { cwd });
  git('remote', 'add', 'origin', 'remote.git');
  git('push', '-q', 'origin', 'main');
  expect(await anchored()).toMatchObject({ behind: 0, kept: 'pushed' });
  const heads = await readFile(join(cwd, 'anchors.txt'), 'utf8');
  // The chain of a head that is pushed makes no other one pushed.
  await writeFile(join(cwd, 'anchors.txt'), heads.replace(/ \d+ (?=\S+\n)/, ' 9999 '));
  expect(await anchored()).toMatchObject({ entries: 9999, kept: 'local' });
  await writeFile(join(cwd, 'anchors.txt'), '');
  const { code, json } = await agentLogbook(['verify', '--anchors', 'anchors.txt', '--json'], { cwd });
  expect({ code, json }).toMatchObject({ code: 0, json: [{ anchored: { behind: 0, kept: 'pushed' } }] });
  // A signed tag is an anchor, too: what git says of it when it has checked it holds the head's line.
  await writeFile(join(cwd, 'head.txt'), heads);
  git('-c', 'user.signingkey=key.pub', 'tag', '-s', 'sealed', '-F', 'head.txt');
  await writeFile(join(cwd, 'allowed'), `a@example.com ${await readFile(join(cwd, 'key.pub'), 'utf8')}`);
  const told = git('-c', 'gpg.ssh.allowedSignersFile=allowed', 'tag', '-v', 'sealed');
  await writeFile(join(cwd, 'anchors.txt'), told);
  expect(await anchored('--no-git')).toMatchObject({ behind: 0 });
});

test('heads that come from what has no name, as through a pipe, are compared, and git is not asked of them', async () => {
  const cwd = await temporaryFolder();
  await sealed(cwd);
  await agentLogbook(['verify', '--anchor', 'anchors.txt'], { cwd });
  const file = await open(join(cwd, 'anchors.txt'));
  onTestFinished(() => file.close());
  await rm(join(cwd, 'anchors.txt'));
  const { code, json } = await agentLogbook(['verify', '--anchors', `/dev/fd/${file.fd}`, '--json'], { cwd });
  expect({ code, json }).toMatchObject({ code: 0, json: [{ anchored: { behind: 0 } }] });
  expect(json[0]?.anchored).not.toHaveProperty('kept');
});

test('a head that was changed after it was signed is not good, and another signer is not trusted', async () => {
  const cwd = await temporaryFolder();
  const paths = await sealed(cwd);
  for (const name of ['key', 'other'])
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(cwd, name)]);
  await agentLogbook(['verify', '--sign', 'key'], { cwd });
  const asked = () => agentLogbook(['verify', '--signers', 'other.pub', '--json'], { cwd });
  expect(await asked()).toMatchObject({
    code: 1,
    json: [{ state: 'intact', signed: { isGood: true, isTrusted: false } }],
  });
  const head = join(paths.folder, 'messages.head');
  await writeFile(head, (await readFile(head, 'utf8')).replace(/ 1 /, ' 1 '));
  await appendFile(head, '\n');
  expect((await verified(cwd)).told).toMatchObject({ signed: { isGood: false } });
});

test('what is not sealed is told as that, and never signed', async () => {
  const cwd = await temporaryFolder();
  const paths = await sealed(cwd, 2);
  await rm(sealOf(paths.segment(0)));
  const { told, code } = await verified(cwd);
  expect({ code, told }).toMatchObject({ code: 1, told: { state: 'not sealed', sealed: 0 } });
  const { err } = await agentLogbook(['verify', '--sign', 'key'], { cwd });
  expect(err).toContain('neither signed, anchored nor timestamped: it is not sealed');
  const file = join(cwd, 'talk.jsonl');
  await writeFile(file, '{"role":"user","content":"Hello"}\n');
  expect((await agentLogbook(['verify', file], { cwd })).err).toContain(
    'only conversations of a store are sealed',
  );
});

test('a conversation that was deleted leaves a tombstone with the head that was anchored', async () => {
  const cwd = await temporaryFolder();
  await sealed(cwd);
  await agentLogbook(['verify', '--anchor', 'anchors.txt'], { cwd });
  const root = join(cwd, '.agent-logbook');
  await makeRoot(root);
  const store = await openStore(root);
  await store.deleteConversation(ID);
  await store.close();
  const asked = () => agentLogbook(['verify', '--anchors', 'anchors.txt', '--json'], { cwd });
  expect(await asked()).toMatchObject({
    code: 0,
    json: [
      { kind: 'deleted', session: ID, why: 'asked', isAnchored: true, head: { entries: expect.any(Number) } },
    ],
  });
  const file = join(root, 'state/deleted.seal');
  const text = await readFile(file, 'utf8');
  expect(text).not.toContain('said');
  await writeFile(file, text.replace(' asked ', ' retention '));
  expect(await asked()).toMatchObject({
    code: 1,
    json: [{ kind: 'deletions', state: 'broken', line: 2 }, { kind: 'deleted' }, { kind: 'missing' }],
  });
  // A chain made anew over a time that is none.
  const [head = '', tombstone = ''] = text.split('\n');
  const dateless = tombstone.slice(44).replace(/^\S+/, '2026-13-45T00:00:00.000Z');
  const link = linkOfNote(hash('sha256', `${head}\n`, 'base64url'), dateless);
  await writeFile(file, `${head}\n${link} ${dateless}\n`);
  expect(await asked()).toMatchObject({
    code: 1,
    json: [
      { kind: 'deletions', state: 'broken', line: 2 },
      { kind: 'missing', session: ID },
    ],
  });
  await rm(file);
  expect(await asked()).toMatchObject({ code: 1, json: [{ kind: 'missing', session: ID }] });
});

test('a tombstone of a conversation that stands as it was then is a contradiction, and one recorded anew is none', async () => {
  const cwd = await temporaryFolder();
  const paths = await sealed(cwd);
  const root = join(cwd, '.agent-logbook');
  await makeRoot(root);
  const kept = join(cwd, 'kept');
  await cp(paths.folder, kept, { recursive: true });
  const store = await openStore(root);
  await store.deleteConversation(ID);
  await store.close();
  await sealed(cwd);
  const anew = await agentLogbook(['verify', ID, '--json'], { cwd });
  expect(anew).toMatchObject({ code: 0, json: [{ state: 'intact' }] });
  expect(anew.json[0]).not.toHaveProperty('buried');
  await rm(paths.folder, { recursive: true });
  await cp(kept, paths.folder, { recursive: true });
  expect(await agentLogbook(['verify', '--json'], { cwd })).toMatchObject({
    code: 1,
    json: [
      { state: 'intact', buried: { behind: 0, entries: expect.any(Number) } },
      { kind: 'deleted', session: ID },
    ],
  });
  expect((await agentLogbook(['verify', ID], { cwd })).out).toContain('In contradiction: a tombstone says');
});

test('the lost end of a seal is told as that, with the files that it stands between', async () => {
  const cwd = await temporaryFolder();
  const paths = await sealed(cwd);
  const seal = await readFile(sealOf(paths.segment(0)), 'utf8');
  const end = seal.indexOf('\n', seal.indexOf('\nchain ') + 1) + 1;
  await writeFile(sealOf(paths.segment(0)), seal.slice(0, end));
  expect((await verified(cwd)).told).toMatchObject({
    state: 'broken',
    gaps: [expect.stringContaining('its end was lost, as in a power cut, or cut off')],
  });
});

test('what is imported without seals has none, and leaves no tombstone', async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, 'talk.jsonl'), '{"role":"user","content":"Hello"}\n');
  await agentLogbook(['import', '--no-seals', 'talk.jsonl'], { cwd });
  const { json } = await agentLogbook(['verify', '--json'], { cwd });
  expect(json).toMatchObject([{ state: 'not sealed', sealed: 0 }]);
  const root = join(cwd, '.agent-logbook');
  const store = await openStore(root);
  await store.deleteConversation(String(json[0]?.session));
  await store.close();
  expect(await readTombstones(root)).toMatchObject({ tombstones: [] });
});

test('a session that is imported, grows and is imported again stays in one chain', async () => {
  const cwd = await temporaryFolder();
  const said = (at: number) =>
    JSON.stringify({
      type: 'user',
      sessionId: 's1',
      uuid: `u${at}`,
      timestamp: `2026-03-01T10:00:0${at}.000Z`,
      version: '2.1.0',
      message: { role: 'user', content: `said ${at}` },
    });
  for (let at = 1; at <= 3; at++) {
    await appendFile(join(cwd, 's1.jsonl'), `${said(at)}\n`);
    await agentLogbook(['import', 's1.jsonl'], { cwd });
    const { code, json } = await agentLogbook(['verify', '--json'], { cwd });
    expect({ code, json }).toMatchObject({
      code: 0,
      json: [{ state: 'intact', unsealed: 0, breaks: [], gaps: [], anew: [] }],
    });
    expect((json[0] as { sealed: number }).sealed).toBeGreaterThan(at);
  }
});

const OPENSSL = spawnSync('openssl', ['version']).status === 0;

/** An authority that answers over loopback as `openssl ts` does, with its certificate in `tsa.pem`, until what is given is called. */
async function authority(cwd: string) {
  const reply = timeStamping(cwd);
  const sizes: number[] = [];
  let isForged = false;
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const asked = Buffer.concat(pieces);
      sizes.push(asked.length);
      writeFileSync(join(cwd, 'asked.tsq'), asked);
      if (!isForged) reply('asked.tsq', 'told.tsr');
      response.end(readFileSync(join(cwd, 'told.tsr')));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/tsa`,
    sizes,
    forge: () => (isForged = true),
    end: () => new Promise((done) => server.close(done)),
  };
}

test.skipIf(!OPENSSL)(
  'a head is timestamped by an authority, which sees its hash and nothing else',
  async () => {
    const cwd = await temporaryFolder();
    const paths = await sealed(cwd);
    const tsa = await authority(cwd);
    const before = Date.now();
    const { code, err } = await agentLogbook(['verify', '--timestamp', tsa.url], { cwd });
    expect({ code, err }).toMatchObject({ code: 0, err: expect.stringContaining('is timestamped') });
    expect(tsa.sizes).toHaveLength(1);
    expect(tsa.sizes[0]).toBeLessThan(100);
    const asked = (...words: string[]) => agentLogbook(['verify', '--json', ...words], { cwd });
    const { json } = await asked('--authorities', 'tsa.pem');
    expect(json).toMatchObject([
      { state: 'intact', stamped: { behind: 0, isOfHead: true, isVerified: true } },
    ]);
    const { time } = (json[0] as { stamped: { time: number } }).stamped;
    // The authority tells whole seconds.
    expect(time).toBeGreaterThanOrEqual(before - 1_000);
    const { stamped } = (await asked()).json[0] as { stamped: object };
    expect(stamped).not.toHaveProperty('isVerified');
    // An answer to another request, as whoever hears one may repeat it.
    tsa.forge();
    expect(await agentLogbook(['verify', '--timestamp', tsa.url], { cwd })).toMatchObject({
      code: 2,
      err: expect.stringContaining('its answer is to another request'),
    });
    const other = await temporaryFolder();
    await (await authority(other)).end();
    expect(await asked('--authorities', join(other, 'tsa.pem'))).toMatchObject({
      code: 1,
      json: [{ stamped: { isVerified: false } }],
    });
    await appendFile(join(paths.folder, 'messages.stamped'), '\n');
    expect(await asked()).toMatchObject({ code: 1, json: [{ stamped: { isOfHead: false } }] });
    await tsa.end();
  },
);

test('what is no timestamp, and no address, is refused in words', async () => {
  const cwd = await temporaryFolder();
  await sealed(cwd, 2);
  const server = createServer((request, response) => {
    request.resume();
    response.end(request.url === '/long' ? Buffer.alloc(300_000) : 'Hello');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const asked = async (address: string) =>
    (await agentLogbook(['verify', '--timestamp', address], { cwd })).err;
  expect(await asked(`http://127.0.0.1:${port}/`)).toContain('its answer is no granted timestamp');
  expect(await asked(`http://127.0.0.1:${port}/long`)).toContain('larger than');
  expect(await asked('tsa.example.com')).toContain('needs the address of an authority');
  await new Promise((done) => server.close(done));
  expect(await asked(`http://127.0.0.1:${port}/`)).toContain('gave no timestamp');
});
