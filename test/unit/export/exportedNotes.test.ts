import { expect, test } from 'vitest';
import { importFile } from '../../../src/import/importFile.js';
import { exportMessages } from '../../../src/export/exportMessages.js';
import type { ExportNote } from '../../../src/export/exportNote.js';
import type { ExportReport, TextFormat } from '../../../src/export/exportFormat.js';
import { noteTargetOf } from '../../../src/query/notes/noteTarget.js';
import { silentLog } from '../../../src/core/ports/log.js';
import type { LogRecord } from '../../../src/core/record.js';
import type { ReadRecord } from '../../../src/core/ports/transcript.js';
import { NO_PRICES } from '../../../src/core/ports/prices.js';
import { exportRecords, type ExportWork } from '../../../src/search/reader/exportRecords.js';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MemoryTranscript } from '../../support/memoryTranscript.js';
import { temporaryFolder } from '../../support/storeFixture.js';
import { StoryTeller } from '../../support/storyTeller.js';

const SECRET = 'ghp_0123456789abcdefghijklmnopqrstuvwxyz';

function story() {
  const told = new StoryTeller();
  const planner = told.run('planner', 'Look at it');
  planner.useTool('read_file', { path: 'a.ts' }, 'text of a');
  planner.say('Done.');
  planner.end();
  const at = (text: string) => told.records.findIndex((record) => JSON.stringify(record).includes(text));
  const notes = new Map<number, readonly ExportNote[]>([
    [at('"path'), [{ text: 'why this file?', call: 0 }]],
    [at('text of a'), [{ text: 'short' }]],
    [at('"Done."'), [{ text: `ask again\n<b>with</b> ${SECRET}` }, { text: '' }]],
    [at('"callEnd"'), [{ text: 'here it ended' }]],
  ]);
  return { records: told.records, conversation: told.conversation, notes };
}

function exported(format: TextFormat, options: object = {}) {
  const { records, notes } = story();
  let report: ExportReport | undefined;
  const text = exportMessages(records, format, {
    full: true,
    includeMetadata: true,
    notes,
    ...options,
    onReport: (made) => (report = made),
  });
  return { text, report };
}

test.each(['markdown', 'html', 'json', 'csv'] as const)(
  '%s holds the notes, without their secrets',
  (format) => {
    const { text, report } = exported(format);
    for (const words of ['why this file?', 'short', 'ask again']) expect(text).toContain(words);
    expect(text).not.toContain(SECRET);
    expect(report?.redacted).toBe(1);
    const isTable = format === 'csv';
    expect(text.includes('here it ended')).toBe(!isTable);
    expect(report?.leftOut?.notes).toBe(isTable ? 1 : undefined);
  },
);

test('notes are in no export that was not asked for them', () => {
  for (const format of ['markdown', 'html', 'json', 'csv'] as const) {
    const plain = exported(format, { notes: undefined }).text;
    for (const words of ['why this file?', 'ask again', 'Bookmark', 'notes'])
      expect(plain).not.toContain(words);
  }
});

test('Markdown quotes a note below its message, and keeps call and result together', () => {
  const { text } = exported('markdown', { redact: false });
  expect(text).toContain('> Note on the call of read_file: why this file?');
  expect(text).toMatch(/> Note: ask again\n> .*b.*with/);
  expect(text).toContain('> Bookmark');
  expect(text.indexOf('**Result:**')).toBeGreaterThan(text.indexOf('**Tool Call: read'));
  expect(text.match(/\*\*Result: /g)).toBeNull();
});

test('HTML shows what a note says, and runs nothing of it', () => {
  const { text } = exported('html', { redact: false });
  expect(text).toContain('&lt;b&gt;with&lt;/b&gt;');
  expect(text).not.toContain('<b>with</b>');
});

test('dictionaries have notes among their metadata', () => {
  const { records, notes } = story();
  const dicts = exportMessages(records, 'dict', { notes });
  const noted = dicts.flatMap((dict) => (dict._metadata as { notes?: readonly ExportNote[] }).notes ?? []);
  expect(noted.map(({ text }) => text)).toContain('why this file?');
});

test('an export as JSON with notes is read back whole', async () => {
  const file = join(await temporaryFolder(), 'noted.json');
  await writeFile(file, exported('json', { redact: false }).text);
  const { conversations } = await importFile(file);
  const read = JSON.stringify(conversations.map(({ records }) => [...records]));
  for (const words of ['why this file?', 'ask again', 'here it ended', 'text of a'])
    expect(read).toContain(words);
});

const place = {
  loadPrices: () => Promise.resolve(NO_PRICES),
  counted: (read: AsyncIterable<ReadRecord>) => ({
    records: read,
    counter: { count: () => 0, countMessage: () => 0 },
  }),
  onProgress: () => silentLog.debug(''),
  signal: new AbortController().signal,
};

/** Makes notes about records, by their positions. */
function notesAbout(records: readonly LogRecord[]) {
  return (position: number, text: string) => {
    const record = records[position];
    if (!record) throw new Error('There is no such record.');
    const about = noteTargetOf(record, position, undefined);
    return { id: `n_${position}`, text, about, createdAt: 1, changedAt: 1 };
  };
}

test('a person decides about secrets in notes too, before the folder of a file is made', async () => {
  const { records, conversation } = story();
  const transcript = new MemoryTranscript(conversation, records);
  const folder = join(await temporaryFolder(), 'later');
  const work: ExportWork = {
    format: 'markdown',
    positions: undefined,
    file: join(folder, 'a.md'),
    makesFolder: true,
    redact: true,
    title: 'A title',
    ownPrices: '',
    sharing: { policy: {}, asks: 'whenFound' },
    notes: [notesAbout(records)(1, `see ${SECRET}`)],
  };
  const asked = await exportRecords(transcript, work, place);
  if (asked.kind !== 'findings') throw new Error('Nobody was asked.');
  expect(
    asked.findings.map(({ value, places: locations }) => [
      value,
      locations[0]?.field,
      locations[0]?.position,
    ]),
  ).toEqual([[SECRET, 'note', 1]]);
  expect(existsSync(folder)).toBe(false);
  const decided = [[SECRET, 'leaveIn']] as const;
  await exportRecords(transcript, { ...work, sharing: { policy: {}, asks: 'whenFound', decided } }, place);
  expect((await readFile(join(folder, 'a.md'), 'utf8')).replaceAll('\\', '')).toContain(SECRET);
});

test('of a part of a transcript the notes in it are exported, each with its message', async () => {
  const { records, conversation } = story();
  const transcript = new MemoryTranscript(conversation, records);
  const noteOn = notesAbout(records);
  const last = records.findIndex((record) => JSON.stringify(record).includes('"Done."'));
  const work: ExportWork = {
    format: 'markdown',
    positions: [last],
    file: undefined,
    redact: true,
    title: 'A title',
    ownPrices: '',
    notes: [noteOn(1, 'on another one'), noteOn(last, 'on this one')],
  };
  const made = await exportRecords(transcript, work, place);
  const text = made.kind === 'text' ? made.text : '';
  expect(text).toContain('> Note: on this one');
  expect(text).not.toContain('on another one');
});

test('what an export is called in a folder and its index follows what a person decided, in its title too', async () => {
  const { records, conversation } = story();
  const transcript = new MemoryTranscript(conversation, records);
  const folder = await temporaryFolder();
  const file = {
    folder,
    extension: 'md',
    taken: new Set(['see github-token and mail.md']),
    project: `of ${SECRET}`,
  };
  const work: ExportWork = {
    format: 'markdown',
    positions: undefined,
    file,
    redact: true,
    title: `See ${SECRET} and anna@bakery.org`,
    ownPrices: '',
    sharing: { policy: {}, asks: 'whenFound' },
  };
  const asked = await exportRecords(transcript, work, place);
  if (asked.kind !== 'findings') throw new Error('Nobody was asked.');
  expect(asked.findings.map(({ value, count }) => [value, count])).toEqual([
    [SECRET, 1],
    ['anna@bakery.org', 1],
  ]);
  const madeWith = async (decided: NonNullable<ExportWork['sharing']>['decided'], redact = true) => {
    const sharing = { policy: {}, asks: 'whenFound', decided } as const;
    const made = await exportRecords(transcript, { ...work, redact, sharing }, place);
    if (made.kind !== 'file') throw new Error('No file was written.');
    const { name, title, project } = made;
    expect(existsSync(join(folder, name))).toBe(true);
    return { name, title, project };
  };
  const [one, two] = ['[REDACTED:github-token:1]', '[REDACTED:mail:1]'];
  expect(
    await madeWith([
      [SECRET, 'leaveOut'],
      ['anna@bakery.org', 'leaveOut'],
    ]),
  ).toEqual({
    name: '2 See github-token and mail.md',
    title: `See ${one} and ${two}`,
    project: `of ${one}`,
  });
  expect(await madeWith([[SECRET, 'leaveIn']])).toMatchObject({
    name: `${`See ${SECRET} and anna bakery org`.slice(0, 60).trim()}.md`,
    title: work.title,
    project: file.project,
  });
  // Where nothing is left out of texts, a file is called without secrets yet.
  const raw = await madeWith([], false);
  expect(raw.title).toBe(work.title);
  expect(raw.name).not.toContain(SECRET);
});
