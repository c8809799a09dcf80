import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import type { LogRecord } from '../../../src/core/record.js';
import { silentLog } from '../../../src/core/ports/log.js';
import type { SearchOrder, SearchQuestion, SearchUpdate } from '../../../src/page/protocol/search.js';
import { SessionSearch } from '../../../src/search/sessionSearch.js';
import { encodeHeader } from '../../../src/store/format/journalHeader.js';
import { encodeLine } from '../../../src/store/format/lineFormat.js';
import { buildWorker } from '../../support/buildWorker.js';
import { someOf } from '../../support/fixedInputs.js';
import { recordOf, said, temporaryStore } from '../../support/storeFixture.js';

const SESSIONS = 420;
const TIME = Date.UTC(2026, 0, 1);
const NEWLINE = Buffer.from('\n');
const nameOf = (at: number) => `20260101-${String(at).padStart(6, '0')}-${at.toString(16).padStart(8, '0')}`;

let script: URL;
beforeAll(async () => {
  script = await buildWorker('search/search.worker.ts');
});

/** A store of so many sessions that threads share them, of which one cannot be read and one is damaged. */
async function storeOfMany(): Promise<string> {
  const { root } = await temporaryStore();
  for (let at = 0; at < SESSIONS; at++) {
    const id = nameOf(at);
    const folder = join(root, 'conversations', id);
    await mkdir(folder, { recursive: true });
    if (at === 13) {
      await mkdir(join(folder, 'messages.jsonl'));
      continue;
    }
    const records: LogRecord[] = [
      `dough ${at}`,
      at % 7 === 0 ? 'salt' : 'sugar',
      `is dough ${'a'.repeat(at % 50)}`,
    ].map((text, position) => ({
      ...recordOf(position + 1, said(text, position === 0 ? 'user' : 'assistant'), id),
      time: TIME + at * 3_600_000,
      agent: at % 3 === 0 ? 'Baker' : 'Cookie',
    }));
    const lines = [encodeHeader(id, TIME, 0), ...records.map(encodeLine)].flatMap((line) => [line, NEWLINE]);
    if (at === 20) lines.push(Buffer.from('{"no record"\n'));
    await writeFile(join(folder, 'messages.jsonl'), Buffer.concat(lines));
  }
  return root;
}

function searchOn(root: string, threads: number, more: { readonly script?: URL } = {}): SessionSearch {
  const stores = () => Promise.resolve([{ root, readOnly: false }]);
  const search = new SessionSearch({ script, log: silentLog, stores, threads, ...more });
  onTestFinished(() => search.dispose());
  return search;
}

const ask = (text: string, order: SearchOrder, rows: SearchQuestion['rows']): SearchQuestion => ({
  text,
  rows,
  order,
  now: TIME,
  timeZone: 'Europe/Berlin',
  limits: { sessions: 40, hitsOfSession: 2 },
});

async function answered(search: SessionSearch, question: SearchQuestion, stop = new AbortController()) {
  const updates: SearchUpdate[] = [];
  for await (const update of search.ask(question, stop.signal)) updates.push(update);
  const last = updates.at(-1);
  if (!last) throw new Error('Nothing was answered.');
  // How long marks may take is limited, so that a busy machine leaves some out.
  const groups = updates.flatMap((update) =>
    update.groups.map((group) => ({
      ...group,
      hits: group.hits.map((hit) => ({ ...hit, excerpt: hit.excerpt.text })),
    })),
  );
  return { ...last, groups };
}

test('threads that share the sessions answer as one alone does: the same rows, facets and order', async () => {
  const root = await storeOfMany();
  const [alone, shared] = [searchOn(root, 1), searchOn(root, 2)];
  const questions = [
    ['dough', 'messages'],
    ['agent:Baker', 'records'],
    ['salt', 'sessions'],
    ['/dou(?:gh|bt) 3\\d\\d/', 'messages'],
    ['tokens:>zz', 'messages'],
  ] as const;
  for (const [text, rows] of someOf(questions, 2))
    for (const order of ['newest', 'oldest'] as const) {
      const question = ask(text, order, rows);
      const one = await answered(alone, question);
      expect(await answered(shared, question)).toEqual(one);
      const places = one.groups.map(({ place: location }) => location.conversation);
      const sorted = [...places].sort();
      expect(places).toEqual(order === 'newest' ? sorted.reverse() : sorted);
    }
  const { totals, progress, unread, incomplete } = await answered(shared, ask('dough', 'newest', 'messages'));
  expect(totals).toMatchObject({ rows: 2 * (SESSIONS - 1), sessions: SESSIONS - 1 });
  expect(progress).toEqual({ looked: SESSIONS, of: SESSIONS });
  expect([unread.count, incomplete.count]).toEqual([1, 1]);
}, 120_000);

test('a search that is stopped stops on all threads, and the next one is answered', async () => {
  const search = searchOn(await storeOfMany(), 2);
  for (let round = 0; round < 3; round++) {
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 20 * round);
    const { state } = await answered(search, ask('dough', 'newest', 'messages'), stop);
    expect(['cancelled', 'done']).toContain(state);
  }
  for await (const update of search.ask(ask('dough', 'newest', 'messages'), new AbortController().signal))
    if (update.groups.length > 0) break;
  const { totals } = await answered(search, ask('salt', 'oldest', 'messages'));
  expect(totals.rows).toBe(SESSIONS / 7);
}, 120_000);
