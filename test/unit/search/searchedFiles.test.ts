import { appendFile, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { importFile } from '../../../src/import/importFile.js';
import { silentLog } from '../../../src/core/ports/log.js';
import type { SearchQuestion, SearchUpdate } from '../../../src/page/protocol/search.js';
import type { SearchedFile } from '../../../src/search/files/fileSession.js';
import { SessionSearch } from '../../../src/search/sessionSearch.js';
import { noteTargetOf } from '../../../src/query/notes/noteTarget.js';
import { KeptSessions } from '../../../src/store/notes/keptSessions.js';
import { buildWorker } from '../../support/buildWorker.js';
import { temporaryStore } from '../../support/storeFixture.js';

let script: URL;
beforeAll(async () => {
  script = await buildWorker('search/search.worker.ts');
});

const line = (uuid: string, type: string, content: unknown) =>
  `${JSON.stringify({
    type,
    uuid,
    sessionId: 's1',
    timestamp: '2026-01-01T00:00:00Z',
    cwd: '/home/baker/cookies',
    message: { role: type, model: 'claude-x', content },
  })}\n`;
const bash = { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'rm -rf crumbs' } };
const SESSION =
  line('u1', 'user', 'Why is the dough so wet?') +
  line('a1', 'assistant', [{ type: 'text', text: 'Too much milk.' }, bash]) +
  line('u2', 'user', [{ type: 'tool_result', tool_use_id: 't1', content: 'gone' }]) +
  line('a2', 'assistant', [{ type: 'text', text: 'The DOUGH rests.' }]);

/** A search over files with these contents, and a way to ask it. */
async function searched(contents: Readonly<Record<string, string>>) {
  const folder = await mkdtemp(join(tmpdir(), 'searched-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const files: SearchedFile[] = [];
  for (const [name, content] of Object.entries(contents)) {
    const path = join(folder, name);
    await writeFile(path, content);
    files.push({ path, changed: 1_790_000_000_000 + files.length });
  }
  const { store, root } = await temporaryStore();
  const keptFiles = join(folder, 'kept');
  const keptSessions = join(folder, 'keptSessions.jsonl');
  const begin = () => {
    const search = new SessionSearch({
      script,
      log: silentLog,
      files: () => Promise.resolve(files),
      keptFiles,
      keptSessions,
      stores: () => Promise.resolve([{ root, readOnly: false }]),
    });
    onTestFinished(() => search.dispose());
    return search;
  };
  let search = begin();
  /** The search with a new thread, as after a restart. */
  const restart = () => {
    search.dispose();
    search = begin();
  };
  const ask = async (text: string, more: Partial<SearchQuestion> = {}) => {
    const question: SearchQuestion = {
      text,
      rows: 'messages',
      now: 1_790_000_100_000,
      timeZone: 'UTC',
      order: 'newest',
      limits: { sessions: 100, hitsOfSession: 20 },
      ...more,
    };
    const updates: SearchUpdate[] = [];
    for await (const update of search.ask(question, new AbortController().signal)) updates.push(update);
    const last = updates.at(-1);
    if (!last) throw new Error('Nothing was answered.');
    const groups = updates.flatMap((update) => update.groups);
    return { last, groups, texts: groups.map(({ hits }) => hits.map(({ excerpt }) => excerpt.text)) };
  };
  return { search, ask, files, store, keptFiles, keptSessions, restart };
}

test('a file of another tool is asked where it is, with what is known of it', async () => {
  const { ask, files } = await searched({ 's1.jsonl': SESSION });
  const { last, groups, texts } = await ask('dough');
  expect(texts).toEqual([['Why is the dough so wet?', 'The DOUGH rests.']]);
  const place = { kind: 'file', root: files[0]?.path, conversation: '0' };
  expect(groups).toMatchObject([{ place, source: 'claude-code', project: 'cookies', count: 2 }]);
  expect(last.facets.find(({ field }) => field === 'source')?.values).toMatchObject([
    { value: 'claude-code', name: 'Claude Code', refine: 'source:"claude-code"' },
  ]);
});

test.each([
  ['dough', 'messages'],
  ['command:rm', 'toolCalls'],
  ['tool:bash', 'messages'],
  ['milk', 'runs'],
  ['source:claude-code model:claude*', 'records'],
  ['title:dough', 'sessions'],
  ['role:assistant after tool:bash', 'messages'],
] as const)('%s finds the same %s in a file as in a copy of it that was imported', async (text, rows) => {
  const { ask, files, store } = await searched({ 's1.jsonl': SESSION });
  const { path = '' } = files[0] ?? {};
  const hits = async (kind: string) => {
    const { groups } = await ask(text, { rows });
    return groups
      .filter(({ place: location }) => location.kind === kind)
      .flatMap((group) => group.hits.map(({ position, excerpt }) => [position, excerpt.text]));
  };
  const inFile = await hits('file');
  const { format, conversations } = await importFile(path);
  for (const { id, title, records } of conversations)
    await store.importSession({ source: { tool: format, session: id, path, title }, records });
  expect(inFile.length).toBeGreaterThan(0);
  expect(await hits('stored')).toEqual(inFile);
  // Both tell the same, which is found once.
  if (rows !== 'sessions') expect(await hits('file')).toEqual([]);
});

test('what asks for one source reads no file of a tool that is another', async () => {
  const { ask, files, restart } = await searched({
    'other.jsonl': SESSION,
    's1.jsonl': SESSION.replaceAll('s1', 's2'),
  });
  const [other] = files;
  if (!other) throw new Error('There is no file.');
  files[0] = { ...other, sources: ['codex'] };
  // Whoever read it would fail.
  await rm(other.path);
  const unread = async (text: string) => {
    restart();
    const { last, groups } = await ask(text);
    return [last.unread.count, groups.length];
  };
  expect(await unread('source:claude* dough')).toEqual([0, 1]);
  expect(await unread('source:(pi OR claude-code) dough')).toEqual([0, 1]);
  expect(await unread('dough')).toEqual([1, 1]);
  expect(await unread('-source:claude-code')).toEqual([1, 0]);
});

test('what is noted on a session is found where its file is, and in its copy', async () => {
  const { ask, files, store, keptSessions } = await searched({ 's1.jsonl': SESSION });
  const { path = '' } = files[0] ?? {};
  const { format, conversations } = await importFile(path);
  const [said] = conversations;
  const records = [...(said?.records ?? [])];
  const record = records.at(-1);
  if (!said || !record) throw new Error('Nothing is said.');
  const source = { tool: format, session: said.id, path, title: '' };
  const note = { id: 'n1', text: 'rest', createdAt: 1, changedAt: 1 };
  const about = noteTargetOf(record, records.length - 1, undefined);
  const kept = new KeptSessions(keptSessions, silentLog);
  expect((await ask('has:note')).texts).toEqual([]);
  await kept.change(source, [{ kind: 'set', note: { ...note, about } }]);
  const found = async () =>
    (await ask('note:rest')).groups.map(({ place, hits }) => [
      place.kind,
      hits.map(({ excerpt }) => excerpt.text),
    ]);
  expect(await found()).toEqual([['file', ['The DOUGH rests.']]]);
  await store.importSession({ source, records });
  files.splice(0);
  expect(await found()).toEqual([['stored', ['The DOUGH rests.']]]);
});

test('each conversation of a file is a session of its own, and each can be asked alone', async () => {
  const talks = ['flour', 'butter', 'eggs'].map((what) =>
    JSON.stringify({ id: what, messages: [{ role: 'user', content: `Where is the ${what}?` }] }),
  );
  const { ask, search } = await searched({ 'talks.jsonl': talks.join('\n') });
  const { last, groups, texts } = await ask('where');
  expect(texts).toEqual([['Where is the flour?'], ['Where is the butter?'], ['Where is the eggs?']]);
  expect(last.progress).toEqual({ looked: 3, of: 3 });
  const locations = groups.map(({ place: location }) => location);
  expect(locations.map(({ conversation }) => conversation)).toEqual(['0', '1', '2']);
  const butter = locations.slice(1, 2);
  expect((await ask('where', { only: butter })).texts).toEqual([['Where is the butter?']]);
  const near = await Promise.all(butter.map((location) => search.near(location, 0, 5)));
  expect(near.flat().map(({ text }) => text)).toContain('Where is the butter?');
});

test('what was added to a file since it was asked is found', async () => {
  const { ask, files } = await searched({ 's1.jsonl': SESSION });
  const { path = '' } = files[0] ?? {};
  expect((await ask('raisins')).texts).toEqual([]);
  await appendFile(path, line('u3', 'user', 'Any raisins?'));
  expect((await ask('raisins')).texts).toEqual([['Any raisins?']]);
  await utimes(path, 1, 1);
  expect((await ask('raisins')).texts).toEqual([['Any raisins?']]);
});

test('a file that cannot be read is counted with the reason, and one in which nothing is said yet is not', async () => {
  const { ask, files } = await searched({ 's1.jsonl': SESSION, 'gone.jsonl': SESSION, 'begun.jsonl': '' });
  const [, gone] = files;
  await rm(gone?.path ?? '');
  const { last, texts } = await ask('milk');
  expect(texts).toEqual([[expect.stringContaining('Too much milk.')]]);
  expect(last.unread).toMatchObject({ count: 1, first: [{ place: { root: gone?.path } }] });
  expect(last.unread.first[0]?.why).toContain('no such file');
});

test('a session is live where whoever found the file says so, also where nothing else of it has changed', async () => {
  const { ask, files } = await searched({ 's1.jsonl': SESSION });
  const [file] = files;
  if (!file) throw new Error('There is no file.');
  expect((await ask('is:live', { rows: 'sessions' })).last.totals.rows).toBe(0);
  files[0] = { ...file, isLive: true };
  const { groups } = await ask('is:live', { rows: 'sessions' });
  expect(groups).toMatchObject([{ isLive: true, count: 1 }]);
});

/** Puts other words of the same length into a file, without its size or time telling. */
async function changeUnseen(path: string, from: string, to: string): Promise<void> {
  const { atime, mtime } = await stat(path);
  const text = await readFile(path, 'utf8');
  expect(to.length).toBe(from.length);
  await writeFile(path, text.replaceAll(from, to));
  await utimes(path, atime, mtime);
}

test('what is known of files is kept, and believed while they are as they were', async () => {
  const talks = ['flour', 'butter'].map((word) =>
    JSON.stringify({ messages: [{ role: 'user', content: `Where is the ${word}?` }] }),
  );
  const { ask, files, restart, keptFiles } = await searched({
    's1.jsonl': SESSION,
    'talks.jsonl': talks.join('\n'),
  });
  const before = await ask('role:user');
  expect(before.last.totals).toMatchObject({ rows: 3, sessions: 3 });
  expect((await readdir(keptFiles)).filter((name) => name.endsWith('.bin'))).toHaveLength(3);
  restart();
  const again = await ask('role:user');
  expect(again.groups).toEqual(before.groups);
  expect(again.last.totals).toEqual(before.last.totals);
  // The files are not read for what is known of them: a change that nothing tells of is not seen.
  const { path = '' } = files[0] ?? {};
  await utimes(path, 1_000, 1_000);
  await ask('tool:Bash', { rows: 'toolCalls' });
  await changeUnseen(path, 'Bash', 'Zash');
  restart();
  expect((await ask('tool:Bash', { rows: 'toolCalls' })).last.totals.rows).toBe(1);
  await utimes(path, 2_000, 2_000);
  restart();
  expect((await ask('tool:Bash', { rows: 'toolCalls' })).last.totals.rows).toBe(0);
  expect((await ask('tool:Zash', { rows: 'toolCalls' })).last.totals.rows).toBe(1);
});

test('what is kept of files and is damaged is made anew', async () => {
  const { ask, restart, keptFiles } = await searched({ 's1.jsonl': SESSION });
  await ask('role:user');
  const [name = ''] = await readdir(keptFiles);
  const whole = await readFile(join(keptFiles, name));
  const harmed = [whole.subarray(0, 40), Buffer.alloc(0), Buffer.from(whole).fill(7, 100, 140)];
  for (const bytes of harmed) {
    await writeFile(join(keptFiles, name), bytes);
    restart();
    expect((await ask('dough')).last.totals.rows).toBe(2);
    expect((await readFile(join(keptFiles, name))).equals(whole)).toBe(true);
  }
});
