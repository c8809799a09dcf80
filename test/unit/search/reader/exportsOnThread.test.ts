import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import type { LogRecord } from '../../../../src/core/record.js';
import { loadPrices } from '../../../../src/query/pricing/loadPrices.js';
import { silentLog } from '../../../../src/core/ports/log.js';
import { EXPORT_FORMATS } from '../../../../src/core/ports/exportFormats.js';
import { PriorityGate } from '../../../../src/page/panel/recordReader.js';
import {
  exportRecords,
  type ExportMade,
  type ExportWork,
} from '../../../../src/search/reader/exportRecords.js';
import { ReaderThread, type ExportOptions } from '../../../../src/search/reader/readerThread.js';
import type { TranscriptStore } from '../../../../src/store/transcriptStore.js';
import { countedRecords, countsOfRecords } from '../../../../src/query/tokens/countedRecords.js';
import { TokenService } from '../../../../src/query/tokens/tokenService.js';
import { buildWorker } from '../../../support/buildWorker.js';
import { recordOf, said, temporaryFolder, temporaryStore } from '../../../support/storeFixture.js';
import { soon } from '../../../support/soon.js';

let script: URL;
let tokens: TokenService;
beforeAll(async () => {
  script = await buildWorker('search/reader/reader.worker.ts');
  tokens = new TokenService(await buildWorker('query/tokens/tokens.worker.ts'));
  return () => tokens.dispose();
});

/** More than stays on a line of a journal. */
const LONG = 'All of the salt, and then some. '.repeat(3_000);
const KEY = `sk-${'proj-Ab3'.repeat(6)}`;

/** A conversation with texts in files of their own, wherever a message can have one, a secret, and no message. */
const RECORDS: readonly LogRecord[] = [
  recordOf(1, said('Why is the soup salty?', 'user')),
  recordOf(2, {
    type: 'message',
    message: {
      role: 'assistant',
      content: [
        { type: 'text', text: 'Look:' },
        { type: 'text', text: `${LONG} first` },
      ],
      reasoning_content: `${LONG} thought`,
      tool_calls: [
        { id: 'c', type: 'function', function: { name: 'taste', arguments: JSON.stringify({ of: LONG }) } },
      ],
    },
  }),
  recordOf(3, { type: 'message', message: { role: 'tool', tool_call_id: 'c', content: `${LONG} last` } }),
  recordOf(4, { type: 'title', title: 'The soup' }),
  recordOf(5, said(`Because of OPENAI_API_KEY=${KEY}.`)),
];

async function storeOf(records: readonly LogRecord[]): Promise<TranscriptStore> {
  const { store } = await temporaryStore();
  const journal = await store.createConversation('c1');
  for (const record of records) journal.append(record);
  await journal.close();
  return store;
}

function newReader(from = script, log = silentLog): ReaderThread {
  const reader = new ReaderThread({ script: from, log });
  onTestFinished(() => reader.dispose());
  return reader;
}

const workOf = (work: Partial<ExportWork> = {}): ExportWork => ({
  format: 'json',
  positions: undefined,
  file: undefined,
  redact: true,
  title: 'The soup',
  ownPrices: '',
  ...work,
});

const watch = (options: Partial<ExportOptions> = {}): ExportOptions => ({
  onProgress: () => undefined,
  signal: new AbortController().signal,
  ...options,
});

const there = (store: TranscriptStore, work: ExportWork, options = watch(), id = 'c1') =>
  newReader().export(store, id, work, options);

/** The same, on this thread. */
async function here(
  store: TranscriptStore,
  work: ExportWork,
  { signal, onProgress } = watch(),
  rest?: () => Promise<void>,
): Promise<ExportMade> {
  const transcript = await store.openTranscript('c1');
  const countsOf = (batch: Parameters<typeof countsOfRecords>[1]) => countsOfRecords(tokens, batch, signal);
  try {
    return await exportRecords(transcript, work, {
      loadPrices,
      counted: (records) => countedRecords(records, { countsOf, log: silentLog, signal }),
      signal,
      onProgress,
      ...(rest && { rest }),
    });
  } finally {
    await transcript.close();
  }
}

const textOf = (made: ExportMade | undefined): string => (made?.kind === 'text' ? made.text : '');

test.each(EXPORT_FORMATS)('an export as %s on the thread is the same as here', async (format) => {
  const store = await storeOf(RECORDS);
  const made = await there(store, workOf({ format }));
  expect(made).toEqual(await here(store, workOf({ format })));
  expect(made).toMatchObject({ kind: 'text', report: { messages: 4, redacted: 1 } });
  expect(textOf(made)).toContain(`${LONG} last`);
  expect(textOf(made)).toContain(`${LONG} first`);
  expect(textOf(made)).not.toContain(KEY);
});

test('an export lets pass what people wait for', async () => {
  const store = await storeOf(Array.from({ length: 1_200 }, (_, at) => recordOf(at + 1, said('Salt.'))));
  const progress: number[] = [];
  const gate = new PriorityGate();
  let goOn: () => void = () => undefined;
  const errand = gate.run(() => new Promise<void>((resolve) => (goOn = resolve)));
  const options = watch({ onProgress: (read) => void progress.push(read) });
  const made = here(store, workOf({ format: 'markdown' }), options, () => gate.done());
  await soon(() => expect(progress).toEqual([500]));
  goOn();
  await errand;
  expect(textOf(await made)).toContain('Salt.');
  // Each is looked through, and then written.
  expect(progress).toEqual([500, 1_000, 1_500, 2_000]);
});

test('tokens are counted exactly on the thread', async () => {
  const made = await there(await storeOf(RECORDS), workOf());
  const messages = JSON.parse(textOf(made)) as { readonly token_count: number }[];
  // By the counting rule of chat messages: 3 for the message, 1 for the role, 6 for the words in o200k_base.
  expect(messages[0]).toMatchObject({ content: 'Why is the soup salty?', token_count: 10 });
});

test('only the records at the given positions are exported', async () => {
  const work = workOf({ format: 'markdown', positions: [0, 4] });
  const store = await storeOf(RECORDS);
  const made = await there(store, work);
  expect(made).toEqual(await here(store, work));
  expect(textOf(made)).toContain('Why is the soup salty?');
  expect(textOf(made)).not.toContain('All of the salt');
});

test('secrets stay where a person wants them', async () => {
  const made = await there(await storeOf(RECORDS), workOf({ redact: false }));
  expect(made).toMatchObject({ report: { redacted: 0 } });
  expect(textOf(made)).toContain(KEY);
});

test('a file is written on the thread, with what the text would be', async () => {
  const store = await storeOf(RECORDS);
  const file = join(await temporaryFolder(), 'soup.csv');
  await writeFile(file, 'what was there before');
  const work = workOf({ format: 'csv' });
  expect(await there(store, { ...work, file })).toMatchObject({ kind: 'file', report: { messages: 4 } });
  expect(await readFile(file, 'utf8')).toBe(textOf(await here(store, work)));
});

const MANY = Array.from({ length: 3_000 }, (_, at) => recordOf(at + 1, said(`Line ${at} `.repeat(100))));

test('the progress of an export comes while it is made', async () => {
  const heard: [number, number][] = [];
  const options = watch({ onProgress: (read, all) => heard.push([read, all]) });
  await there(await storeOf(MANY), workOf({ format: 'markdown' }), options);
  const steps = Array.from({ length: 12 }, (_, at) => 500 * (at + 1));
  expect(heard).toEqual(steps.map((read) => [read, 6_000]));
});

test('an export that is cancelled rejects with the reason and leaves nothing', async () => {
  const store = await storeOf(MANY);
  const folder = await temporaryFolder();
  const file = join(folder, 'transcript.json');
  await writeFile(file, 'what was there before');
  const stop = new AbortController();
  const reason = new Error('Enough.');
  const options = watch({ signal: stop.signal, onProgress: () => stop.abort(reason) });
  await expect(there(store, workOf({ file }), options)).rejects.toBe(reason);
  expect(await readdir(folder)).toEqual(['transcript.json']);
  expect(await readFile(file, 'utf8')).toBe('what was there before');
});

test('an export that was cancelled before it began rejects with the reason', async () => {
  const signal = AbortSignal.abort(new Error('Enough.'));
  await expect(there(await storeOf(RECORDS), workOf(), watch({ signal }))).rejects.toThrow('Enough.');
});

/** The code and words of an error of the file system, without the random name of the part. */
async function refused(making: Promise<unknown>) {
  const error = await making.then(
    () => undefined,
    (failure: unknown) => failure as NodeJS.ErrnoException,
  );
  return { code: error?.code, words: error?.message.replace(/\.export-[-\w]+/, '.export') };
}

test.each([
  ['a folder stands there', '', /^(EISDIR|EPERM|EEXIST)/],
  ['its folder is not there', 'missing/transcript.json', /^ENOENT/],
])(
  'a file that cannot be written because %s is refused in the words of the system',
  async (_, name, code) => {
    const store = await storeOf(RECORDS);
    const folder = await temporaryFolder();
    const taken = join(folder, 'taken');
    await mkdir(taken);
    const work = workOf({ file: join(taken, name) });
    const told = await refused(there(store, work));
    expect(told.code).toMatch(code);
    expect(told.words).toContain(taken);
    expect(told).toEqual(await refused(here(store, work)));
    expect(await readdir(folder)).toEqual(['taken']);
  },
);

/** A journal that another program wrote, with so many lines of three million characters. */
async function foreignStore(lines: number): Promise<TranscriptStore> {
  const root = join(await temporaryFolder(), '.agent-logbook');
  const folder = join(root, 'conversations', 'foreign');
  await mkdir(folder, { recursive: true });
  const long = 'x'.repeat(3_000_000);
  const written = Array.from({ length: lines }, (_, at) =>
    JSON.stringify(recordOf(at + 1, said(long), 'foreign')),
  );
  await writeFile(join(folder, 'messages.jsonl'), `${written.join('\n')}\n`);
  return (await temporaryStore({ root, readOnly: true })).store;
}

test('no line of a journal is parsed on the thread that exports it, however long it is', async () => {
  const store = await foreignStore(2);
  const file = join(await temporaryFolder(), 'foreign.json');
  const parse = vi.spyOn(JSON, 'parse');
  onTestFinished(() => parse.mockRestore());
  const made = await there(store, workOf({ file }), watch(), 'foreign');
  expect(Math.max(0, ...parse.mock.calls.map(([text]) => text.length))).toBeLessThan(100_000);
  expect(made).toMatchObject({ kind: 'file', report: { messages: 2 } });
});

test('a text that is too large for an editor is not answered', async () => {
  const work = workOf({ redact: false });
  expect(await there(await foreignStore(17), work, watch(), 'foreign')).toEqual({ kind: 'tooLarge' });
});

test('a thread that does not start leaves the export to whoever asks, and says so in the log', async () => {
  const warn = vi.fn();
  const reader = newReader(new URL('data:text/javascript,process.exit(3)'), { ...silentLog, warn });
  expect(await reader.export(await storeOf(RECORDS), 'c1', workOf(), watch())).toBeUndefined();
  expect(warn).toHaveBeenCalledWith(expect.stringContaining('c1 is exported on the thread that asks for it'));
});

test('a conversation that the thread cannot open is left to whoever asks', async () => {
  expect(await there(await storeOf(RECORDS), workOf(), watch(), 'gone')).toBeUndefined();
});
