import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parquetReadObjects } from 'hyparquet';
import { beforeAll, describe, expect, test } from 'vitest';
import type { TablesProgress } from '../../../../src/export/tables/exportTables.js';
import type { Asks, Finding } from '../../../../src/export/sharing/finding.js';
import { silentLog } from '../../../../src/core/ports/log.js';
import {
  exportTablesOnThread,
  type TablesOnThreadOptions,
  type TablesTarget,
} from '../../../../src/search/reader/tablesThread.js';
import type { ReadRecord } from '../../../../src/core/ports/transcript.js';
import type { TranscriptStore } from '../../../../src/store/transcriptStore.js';
import { buildWorker } from '../../../support/buildWorker.js';
import { recordOf, said, temporaryFolder, temporaryStore } from '../../../support/storeFixture.js';

let script: URL;
beforeAll(async () => {
  script = await buildWorker('search/reader/tables.worker.ts');
});

const unasked = () => Promise.reject(new Error('nobody was to be asked'));

/** A store with conversations of so many messages each, named c1, c2 … */
async function storeWith(...sizes: readonly number[]) {
  const { store, root } = await temporaryStore();
  for (const [at, size] of sizes.entries()) {
    const id = `c${at + 1}`;
    const journal = await store.createConversation(id);
    for (let seq = 1; seq <= size; seq++) journal.append(recordOf(seq, said(`${id} says ${seq}`), id));
    await journal.close();
  }
  return { store, root };
}

async function targetsIn(store: TranscriptStore, ...ids: readonly string[]): Promise<TablesTarget[]> {
  return await Promise.all(
    ids.map(async (id) => ({ target: await store.target(id), title: `Title of ${id}` })),
  );
}

async function exported(
  targets: readonly TablesTarget[],
  options: {
    signal?: AbortSignal;
    onProgress?: (progress: TablesProgress) => void;
    asks?: Asks;
    review?: TablesOnThreadOptions['review'];
  } = {},
) {
  const parent = await temporaryFolder();
  const { asks = 'never', review = unasked } = options;
  const work = {
    targets,
    folder: join(parent, 'tables'),
    redact: true,
    ownPrices: '',
    sharing: { policy: {}, asks },
  };
  const { signal = new AbortController().signal, onProgress = () => undefined } = options;
  const report = exportTablesOnThread(work, { script, log: silentLog, signal, onProgress, review });
  const rows = async (name: string) => {
    const bytes = await readFile(join(parent, 'tables', `${name}.parquet`));
    return (await parquetReadObjects({ file: new Uint8Array(bytes).buffer })) as Record<string, unknown>[];
  };
  return { parent, report, rows };
}

test('conversations of a store become tables, with how far it is', async () => {
  const { store } = await storeWith(3, 1_200);
  const progress: TablesProgress[] = [];
  const { report, rows } = await exported(await targetsIn(store, 'c1', 'c2'), {
    onProgress: (each) => progress.push(each),
  });
  expect((await report).rows).toMatchObject({ sessions: 2, messages: 1_203 });
  expect((await rows('sessions')).map(({ session, title }) => [session, title])).toEqual([
    ['c1', 'Title of c1'],
    ['c2', 'Title of c2'],
  ]);
  expect((await rows('messages')).at(-1)).toMatchObject({ session: 'c2', content: 'c2 says 1200' });
  expect(progress.at(-1)).toEqual({ sessions: 2, records: 1_203 });
  expect(progress.length).toBeGreaterThan(3);
});

test('what is being recorded is there, once the store has settled it', async () => {
  const { store } = await temporaryStore();
  const journal = await store.createConversation('c1');
  journal.append(recordOf(1, said('just now')));
  await store.settle('c1');
  const { report, rows } = await exported(await targetsIn(store, 'c1'));
  await report;
  expect(await rows('messages')).toMatchObject([{ content: 'just now' }]);
});

test('a part of a conversation is exported as that part, with texts from files of their own', async () => {
  const { store } = await temporaryStore();
  const long = 'All of the salt. '.repeat(4_000);
  const journal = await store.createConversation('c1');
  for (const [at, text] of ['one', long, 'three'].entries()) journal.append(recordOf(at + 1, said(text)));
  await journal.close();
  const [target] = await targetsIn(store, 'c1');
  if (!target) throw new Error('no target');
  const { report, rows } = await exported([{ ...target, positions: [1] }]);
  await report;
  expect((await rows('messages')).map(({ content }) => content)).toEqual([long]);
});

test('a conversation that is gone or damaged is told, and the others are there', async () => {
  const { store } = await storeWith(2, 2, 2);
  await writeFile(await store.journalPath('c2'), 'no journal at all\n', { flag: 'a' });
  const targets = await targetsIn(store, 'c1', 'c2', 'c3');
  await store.deleteConversation('c1');
  const { report, rows } = await exported(targets);
  expect((await report).unread.map(({ session }) => session)).toEqual(['c1']);
  expect(
    (await rows('sessions')).map(({ messages, damaged, unread }) => [messages, damaged, unread !== null]),
  ).toEqual([
    [0n, 0n, true],
    [2n, 1n, false],
    [2n, 0n, false],
  ]);
});

test('an export that is stopped leaves nothing behind', async () => {
  const { store } = await storeWith(20_000);
  const stop = new AbortController();
  const { parent, report } = await exported(await targetsIn(store, 'c1'), {
    signal: stop.signal,
    onProgress: () => stop.abort(new Error('enough')),
  });
  await expect(report).rejects.toThrow('enough');
  expect(await readdir(parent)).toEqual([]);
});

test('an error of the disk is told as it is', async () => {
  const { store } = await storeWith(1);
  const { report } = await exported(await targetsIn(store, 'c1'));
  await report;
  const work = {
    targets: [],
    folder: '/dev/null/x',
    redact: true,
    ownPrices: '',
    sharing: { policy: {}, asks: 'never' as const },
  };
  const again = exportTablesOnThread(work, {
    script,
    log: silentLog,
    signal: new AbortController().signal,
    onProgress: () => undefined,
    review: unasked,
  });
  await expect(again).rejects.toMatchObject({ code: 'ENOTDIR' });
});

describe('what is left out of tables', () => {
  const TOKEN = `ghp_${'Ab3'.repeat(12)}`;
  const OTHER = `ghp_${'Xy7'.repeat(12)}`;

  async function withTokens() {
    const { store } = await temporaryStore();
    for (const [id, texts] of [
      ['c1', ['hello', `first ${OTHER}`, `then ${TOKEN}`]],
      ['c2', [`again ${TOKEN}`]],
    ] as const) {
      const journal = await store.createConversation(id);
      for (const [at, text] of texts.entries()) journal.append(recordOf(at + 1, said(text), id));
      await journal.close();
    }
    return await targetsIn(store, 'c1', 'c2');
  }

  test('has the numbers that it has in every export of its conversation, also where a part is exported', async () => {
    const [c1, c2] = await withTokens();
    if (!c1 || !c2) throw new Error('no targets');
    const { report, rows } = await exported([{ ...c1, positions: [2] }, c2]);
    expect((await report).redacted).toBe(2);
    expect((await rows('messages')).map(({ content }) => content)).toEqual([
      'then [REDACTED:github-token:2]',
      'again [REDACTED:github-token:1]',
    ]);
  });

  test('is looked over session by session, and what was decided counts for those that follow', async () => {
    const asked: [string, readonly Finding[]][] = [];
    const { report, rows } = await exported(await withTokens(), {
      asks: 'whenFound',
      review: ({ session, findings }) => {
        asked.push([session, findings]);
        return Promise.resolve([
          [TOKEN, 'leaveIn'],
          [OTHER, 'leaveOut'],
        ]);
      },
    });
    expect(await report).toMatchObject({ redacted: 1, leftIn: 2 });
    expect(asked.map(([session, findings]) => [session, findings.map(({ value }) => value)])).toEqual([
      ['c1', [OTHER, TOKEN]],
    ]);
    expect((await rows('messages')).map(({ content }) => content)).toEqual([
      'hello',
      'first [REDACTED:github-token:1]',
      `then ${TOKEN}`,
      `again ${TOKEN}`,
    ]);
  });

  test('ends the export where the person leaves, with their own reason and nothing on the disk', async () => {
    const left = new Error('the person left');
    const { parent, report } = await exported(await withTokens(), {
      asks: 'always',
      review: () => Promise.reject(left),
    });
    await expect(report).rejects.toBe(left);
    expect(await readdir(parent)).toEqual([]);
  });
});

/** A Claude Code answer with what it used. */
function answerOf(number: number): ReadRecord {
  const told = {
    model: 'claude-sonnet-4-5',
    usage: { inputTokens: 10, outputTokens: 20, estimated: false },
    provider: { message: `msg_${number}`, request: `req_${number}` },
  };
  const message = { role: 'assistant', content: `Baked ${number}` } as const;
  return recordOf(number, { type: 'message', message, ...told }, 'c');
}

describe('of several conversations that tell the same requests', () => {
  test.each([
    ['one', 'two'],
    ['two', 'one'],
  ])('each is in one row, in the order %s, %s', async (...names) => {
    const { store } = await temporaryStore();
    const told: Readonly<Record<string, readonly number[]>> = { one: [1], two: [1, 2] };
    const ids: string[] = [];
    for (const name of names) {
      const source = { tool: 'claude-code', session: name, title: name };
      const records = (told[name] ?? []).map(answerOf);
      const { conversation } = await store.importSession({ source, records });
      ids.push(conversation);
    }
    const { report, rows } = await exported(await targetsIn(store, ...ids));
    await report;
    const requests = await rows('requests');
    expect(requests.reduce((sum, { requests: count }) => sum + Number(count), 0)).toBe(2);
    expect(requests.reduce((sum, { input_tokens: count }) => sum + Number(count), 0)).toBe(20);
    expect((await rows('messages')).map(({ content }) => content).toSorted()).toEqual(['Baked 1', 'Baked 2']);
    // Alone, a copy tells all that is in it.
    const alone = await exported(await targetsIn(store, ids[names.indexOf('two')] ?? ''));
    expect((await alone.report).rows.requests).toBe(2);
  });
});
