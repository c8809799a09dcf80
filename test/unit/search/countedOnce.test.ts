import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { requestsOf } from '../../../src/core/cost.js';
import { silentLog } from '../../../src/core/ports/log.js';
import { importFile } from '../../../src/import/importFile.js';
import type { SearchUpdate, SessionLocation } from '../../../src/page/protocol/search.js';
import type { SearchedFile } from '../../../src/search/files/fileSession.js';
import { SessionSearch } from '../../../src/search/sessionSearch.js';
import { buildWorker } from '../../support/buildWorker.js';
import { temporaryStore } from '../../support/storeFixture.js';

let script: URL;
beforeAll(async () => {
  script = await buildWorker('search/search.worker.ts');
});

/** Lines of a Claude Code session: a prompt and an answer, which are the same wherever they stand. */
function turn(session: string, number: number, words: string): string {
  const at = (more: number) => new Date(Date.UTC(2026, 8, 1, 10, number, more)).toISOString();
  const about = { sessionId: session, cwd: '/srv/bakery' };
  const ask = { role: 'user', content: `Bake ${words}` };
  const usage = { input_tokens: 10, output_tokens: 20 };
  const content = [{ type: 'text', text: `Baked ${words}` }];
  const said = { id: `msg_${number}`, role: 'assistant', model: 'claude-sonnet-4-5', content, usage };
  const lines = [
    { ...about, type: 'user', uuid: `u${number}`, timestamp: at(0), message: ask },
    {
      ...about,
      type: 'assistant',
      uuid: `a${number}`,
      timestamp: at(1),
      message: said,
      requestId: `req_${number}`,
    },
  ];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

const ONE = turn('one', 1, 'rye');
const TWO = turn('two', 1, 'rye') + turn('two', 2, 'spelt');

/** A search over files with these contents. */
async function searched(contents: Readonly<Record<string, string>>) {
  const folder = await mkdtemp(join(tmpdir(), 'counted-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  let files: SearchedFile[] = [];
  const put = async (name: string, content: string) => {
    const path = join(folder, name);
    await writeFile(path, content);
    await utimes(path, 1_790_000_000, 1_790_000_000);
    files = [...files.filter((file) => file.path !== path), { path, changed: 1_790_000_000_000 }];
    return path;
  };
  for (const [name, content] of Object.entries(contents)) await put(name, content);
  const { store, root } = await temporaryStore();
  const begin = () =>
    new SessionSearch({
      script,
      log: silentLog,
      files: () => Promise.resolve(files),
      keptFiles: join(folder, 'kept'),
      stores: () => Promise.resolve([{ root, readOnly: false }]),
    });
  let search = begin();
  onTestFinished(() => search.dispose());
  const ask = async (text: string, isReversed = false) => {
    if (isReversed) files = files.toReversed();
    const question = {
      text,
      rows: 'messages',
      now: 1_790_000_100_000,
      timeZone: 'UTC',
      order: 'newest',
      limits: { sessions: 100, hitsOfSession: 20 },
    } as const;
    const updates: SearchUpdate[] = [];
    for await (const update of search.ask(question, new AbortController().signal)) updates.push(update);
    const { totals, unread } = updates.at(-1) ?? {};
    const hits = updates.flatMap(({ groups }) => groups.flatMap((group) => group.hits));
    const texts = hits.map(({ excerpt }) => excerpt.text);
    const also = hits.flatMap(({ excerpt, alsoIn = [] }) =>
      alsoIn.map(
        ({ place, position, title }) => `${excerpt.text}: ${nameOf(place)} ${position} ${title}` as const,
      ),
    );
    return {
      rows: totals?.rows,
      requests: totals?.cost && requestsOf(totals.cost),
      texts: texts.toSorted(),
      unread: unread?.count,
      also,
    };
  };
  const restart = () => {
    search.dispose();
    search = begin();
  };
  const forget = (name: string) => {
    files = files.filter(({ path }) => path !== join(folder, name));
  };
  return { ask, put, forget, restart, store, folder };
}

const ALL = { rows: 2, requests: 2, texts: ['Baked rye', 'Baked spelt'], unread: 0 };

const nameOf = ({ kind, root }: SessionLocation) => (kind === 'file' ? basename(root) : kind);

test('what two files tell is found once and costs once, in whatever order they come', async () => {
  const { ask } = await searched({ 'one.jsonl': ONE, 'two.jsonl': TWO });
  expect(await ask('role:assistant')).toMatchObject(ALL);
  expect(await ask('role:assistant', true)).toMatchObject(ALL);
});

test('what is found once says where else it stands, and at which place there', async () => {
  const { ask, put } = await searched({
    'one.jsonl': ONE,
    'two.jsonl': turn('two', 3, 'wheat') + TWO,
  });
  expect((await ask('role:assistant')).also).toEqual(['Baked rye: two.jsonl 3 Bake wheat']);
  expect((await ask('role:assistant', true)).also).toEqual(['Baked rye: two.jsonl 3 Bake wheat']);
  await put('three.jsonl', TWO.replaceAll('two', 'three'));
  expect((await ask('rye')).also.filter((words) => words.startsWith('Baked rye')).toSorted()).toEqual([
    'Baked rye: three.jsonl 1 Bake rye',
    'Baked rye: two.jsonl 3 Bake wheat',
  ]);
});

test('where the file that owns it is gone, the next one tells it, and no sum jumps', async () => {
  const { ask, forget } = await searched({ 'one.jsonl': ONE, 'two.jsonl': TWO });
  expect(await ask('role:assistant')).toMatchObject(ALL);
  forget('one.jsonl');
  expect(await ask('role:assistant')).toMatchObject(ALL);
});

test('a file and its copy in the store are one', async () => {
  const { ask, store, folder } = await searched({ 'two.jsonl': TWO });
  const { conversations, format } = await importFile(join(folder, 'two.jsonl'));
  for (const { id, title, records } of conversations)
    await store.importSession({
      source: { tool: format, session: id, path: join(folder, 'two.jsonl'), title },
      records,
    });
  expect(await ask('role:assistant')).toMatchObject(ALL);
});

test('by what records are known again is kept: files that are as they were are not read again', async () => {
  const { ask, put, restart } = await searched({ 'one.jsonl': ONE, 'two.jsonl': TWO });
  expect(await ask('role:assistant')).toMatchObject(ALL);
  // Of the same length and time, so that nobody looks at it: whoever read it would find nothing to be the same.
  await put('one.jsonl', ONE.replace('msg_1', 'msg_7').replaceAll('"u1"', '"u7"').replaceAll('"a1"', '"a7"'));
  restart();
  expect(await ask('role:assistant')).toMatchObject({ rows: 2, requests: 2 });
});
