import { join } from 'node:path';
import { expect, test } from 'vitest';
import { agentLogbook } from '../../../support/commandLine.js';
import { PASSWORD } from '../../../support/postgresServer.js';
import { recordOf, said, temporaryStore } from '../../../support/storeFixture.js';
import { teamStory } from '../../../support/teamStory.js';
import { testArchives } from '../../../support/testArchive.js';

const { database, server } = testArchives();

const OTHER = '20260101-000000-00000000';
const KEY = `sk-ant-api03-${'aB3'.repeat(31)}AA`;

/** A workspace with a store of two conversations, and an empty database. */
async function workspace() {
  const { store, root } = await temporaryStore();
  const story = teamStory().records;
  await store.importConversation('20261121-093015-5f0c2a9e', story);
  await store.importConversation(OTHER, [
    recordOf(1, said(`the key is ${KEY}`), OTHER),
    recordOf(2, said('bread'), OTHER),
  ]);
  const env = {
    AGENT_LOGBOOK_ARCHIVE: server().address(await database()),
    AGENT_LOGBOOK_ARCHIVE_PASSWORD: PASSWORD,
  };
  const run = (...args: string[]) => agentLogbook(args, { cwd: join(root, '..'), env });
  return { run, env, story, store };
}

test('what is pushed is read from the archive as from the store', async () => {
  const { run } = await workspace();
  const first = await run('push', 'all', '--mode', 'full', '--json');
  expect(first).toMatchObject({ code: 0, err: '' });
  expect(first.json).toHaveLength(2);
  expect(first.json).toContainEqual(
    expect.objectContaining({
      kind: 'push',
      session: OTHER,
      outcome: 'new',
      mode: 'full',
      added: 2,
      records: 2,
    }),
  );
  for (const args of [
    ['list', '--json'],
    ['show', OTHER, '--json', '--raw'],
    ['show', 'latest', '--json'],
    ['query', 'bread', '--json'],
    ['query', '--rows', 'toolCalls', 'is:error', '--json'],
    ['search', 'is:error', '--json'],
    ['stats', '--json'],
    ['cost', '--json'],
    ['tools', '202611', '--json'],
    ['export', OTHER, '--format', 'json'],
  ]) {
    const here = await run(...args);
    const there = await run(...args, '--from', 'archive');
    const same = ({ out, code, err }: typeof here) => ({
      args,
      code,
      err,
      // What a conversation takes is not the same there as in its files.
      out: out.replace(/"bytes":\d+/g, '"bytes":0'),
    });
    expect(same(there)).toEqual(same(here));
    expect(here.out).not.toBe('');
  }
  const again = await run('push');
  expect(again.out).toBe('2 sessions in the archive, 0 records new.\n');
});

test('secrets stay here, unless everything is asked for; facts have no texts', async () => {
  const { run, env } = await workspace();
  const pushed = await run('push', OTHER);
  expect(pushed.out).toMatch(/1 session in the archive, 2 records new\. 1 secret left out\./);
  const shown = await run('show', OTHER, '--from', 'archive', '--raw', '--json');
  expect(shown.out).not.toContain(KEY);
  expect(shown.out).toContain('[REDACTED:');
  // What came without secrets is not pushed with them later.
  expect((await run('push', OTHER, '--mode', 'full', '--json')).json).toMatchObject([
    { outcome: 'unchanged', mode: 'redacted' },
  ]);
  await run('push', '202611', '--mode', 'facts');
  const facts = await run('show', '202611', '--from', 'archive', '--raw', '--json');
  const texts = facts.json.map(
    (line) => (line.record as { message?: { content?: string } }).message?.content,
  );
  expect(new Set(texts)).toEqual(new Set(['', undefined]));
  const [there, here] = await Promise.all([
    run('cost', '202611', '--json', '--from', 'archive'),
    run('cost', '202611', '--json'),
  ]);
  expect(there.out).toBe(here.out);
  expect(env.AGENT_LOGBOOK_ARCHIVE).toContain('127.0.0.1');
});

test('wrong use and what the archive refuses are told in one line that says what to do', async () => {
  const { run, env } = await workspace();
  const errors = async (args: string[], more: Record<string, string> = {}) => {
    const { code, err } = await agentLogbook(args, { cwd: '/', env: { ...env, ...more } });
    expect(code).toBe(2);
    expect(err.trimEnd().split('\n')).toHaveLength(1);
    return err;
  };
  expect(await errors(['list', '--from', 'archive'])).toContain('holds no archive yet');
  await run('push', 'all');
  expect(await errors(['list', '--from', 'archive'], { AGENT_LOGBOOK_ARCHIVE: '' })).toContain(
    'Say where the archive is',
  );
  expect(await errors(['list', '--from', 'archive', '--archive', 'mysql://a@b/c'])).toContain(
    'is written as postgres://',
  );
  expect(await errors(['list', '--from', 'archive', '--archive', `postgres://a:secret@h/db`])).toContain(
    'does not belong on a command line',
  );
  expect(await errors(['list', '--from', 'archive'], { AGENT_LOGBOOK_ARCHIVE_PASSWORD: 'wrong' })).toContain(
    'does not let this user in',
  );
  expect(await errors(['show', 'nothing', '--from', 'archive'])).toContain(
    'has no conversation called nothing',
  );
  expect(await errors(['list', '--from', 'archive', '--store', '.'])).toContain('name one of them');
  expect(await errors(['push', '--from', 'archive'])).toContain('comes from this machine');
});

test('a request that two conversations of the archive tell counts once, as in the store', async () => {
  const { run, store } = await workspace();
  const answer = (number: number) => {
    const usage = { inputTokens: 10, outputTokens: 20, estimated: false };
    const provider = { message: `msg_${number}`, request: `req_${number}` };
    const message = { role: 'assistant', content: `Baked ${number}` } as const;
    return recordOf(number, { type: 'message', message, model: 'claude-sonnet-4-5', usage, provider }, 'c');
  };
  const source = (session: string) => ({ tool: 'claude-code', session, title: session });
  await store.importSession({ source: source('one'), records: [answer(1)] });
  await store.importSession({ source: source('two'), records: [answer(1), answer(2)] });
  await run('push', 'all', '--mode', 'full');
  const requests = async (...args: string[]) =>
    (await run('cost', '--json', '--by', 'source', ...args)).json.find(({ name }) => name === 'claude-code')
      ?.requests;
  expect(await requests()).toBe(2);
  expect(await requests('--from', 'archive')).toBe(2);
});
