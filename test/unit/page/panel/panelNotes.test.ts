import { expect, test } from 'vitest';
import { NO_QUESTION } from '../../../../src/page/protocol/question.js';
import type { Row } from '../../../../src/page/protocol/row.js';
import { memoryNotes } from '../../../support/memoryNotes.js';
import { MemoryTranscript } from '../../../support/memoryTranscript.js';
import { PlayedPage } from '../../../support/playedPage.js';
import { StoryTeller } from '../../../support/storyTeller.js';

/** A page over a short story: a prompt, two tool calls of one message, and an answer. */
async function openPage() {
  const story = new StoryTeller();
  const planner = story.run('planner', 'Look at both files');
  const calls = ['a.ts', 'b.ts'].map((path) => planner.toolCall('read_file', { path }));
  planner.message({ role: 'assistant', content: 'Both of them.', tool_calls: calls });
  for (const call of calls) planner.answer(call, 'text');
  planner.say('Done.');
  planner.end();
  const page = new PlayedPage(new MemoryTranscript(story.conversation, story.records));
  await page.client.ask('ready', {});
  const rows = async (): Promise<readonly Row[]> =>
    (await page.client.ask('rows', { generation: 0, start: 0, end: 100 })).rows;
  const all = await rows();
  const rowOf = (words: string) => {
    const found = all.find((row) => JSON.stringify(row).includes(words));
    if (!found) throw new Error(`No row says ${words}.`);
    return found.id;
  };
  /** What the rows with notes show, as their kinds and the texts of their notes. */
  const noted = async () =>
    (await rows()).flatMap(({ kind, notes = [] }) => notes.map(({ text }) => `${kind}: ${text}`));
  return { page, story, rows, rowOf, noted };
}

test('a note stands at its message, is changed, removed, and each of it undone', async () => {
  const { page, rowOf, noted, rows } = await openPage();
  await page.client.ask('writeNote', { row: rowOf('"Done."'), text: ' look here ' });
  await page.until(() => page.last('changed') !== undefined);
  expect(await noted()).toEqual(['message: look here']);
  const note = (await rows()).flatMap(({ notes = [] }) => notes)[0]?.id ?? '';
  await page.client.ask('writeNote', { row: rowOf('"Done."'), note, text: 'and there' });
  expect(await noted()).toEqual(['message: and there']);
  await page.client.ask('removeNote', { note });
  expect(await noted()).toEqual([]);
  expect(await page.client.ask('undoNote', {})).toEqual({ undone: 'removed' });
  expect(await noted()).toEqual(['message: and there']);
  expect(await page.client.ask('undoNote', {})).toEqual({ undone: 'changed' });
  expect(await noted()).toEqual(['message: look here']);
  expect(await page.client.ask('undoNote', {})).toEqual({ undone: 'written' });
  expect(await noted()).toEqual([]);
  await expect(page.client.ask('undoNote', {})).rejects.toThrow('no change of a note');
});

test('a tool call has notes of its own, apart from those of its message and of the other call', async () => {
  const { page, rowOf, noted } = await openPage();
  await page.client.ask('writeNote', { row: rowOf('b.ts'), text: 'the second' });
  await page.client.ask('writeNote', { row: rowOf('Both of them'), text: 'the message' });
  expect(await noted()).toEqual(['message: the message', 'tool: the second']);
});

test('a question for notes is answered anew when one is written or removed', async () => {
  const { page, rowOf } = await openPage();
  const asked = { number: 1, question: { text: 'has:note', rows: 'toolCalls' as const } };
  await page.client.ask('ask', asked);
  await page.until(() => page.last('matches')?.done === true);
  expect(page.last('matches')).toMatchObject({ found: 0, total: 2 });
  await page.client.ask('writeNote', { row: rowOf('a.ts'), text: '' });
  await page.until(() => page.last('matches')?.found === 1);
  await page.client.ask('undoNote', {});
  await page.until(() => page.last('matches')?.found === 0);
});

test('what another window writes is shown, and is not undone here', async () => {
  const { page, rowOf, noted, rows, story } = await openPage();
  await page.client.ask('writeNote', { row: rowOf('"Done."'), text: 'mine' });
  const id = (await rows()).flatMap(({ notes = [] }) => notes)[0]?.id ?? '';
  const elsewhere = memoryNotes(page.noteFiles);
  await elsewhere.rewrite(story.conversation, id, 'theirs');
  page.notes.lookAgain();
  await page.until(() => JSON.stringify(page.last('changed') ?? '').includes('theirs'));
  expect(await noted()).toEqual(['message: theirs']);
  await expect(page.client.ask('undoNote', {})).rejects.toThrow('changed elsewhere');
  expect(await noted()).toEqual(['message: theirs']);
});

test('a panel that is asked to show a note goes to its message, and says where that is gone', async () => {
  const { page, rowOf, rows } = await openPage();
  await page.client.ask('writeNote', { row: rowOf('"Done."'), text: 'here' });
  const row = (await rows()).find(({ notes }) => notes !== undefined);
  page.session.show({ note: row?.notes?.[0]?.id ?? '' });
  await page.until(() => page.last('show') !== undefined);
  expect(page.last('show')).toEqual({ position: row?.position });
  page.session.show({ note: 'n_gone' });
  await page.until(() => page.last('show')?.note !== undefined);
  expect(page.last('show')).toEqual({ note: 'n_gone' });
});

test('notes that cannot be read leave the transcript as it is, and are said where one is written', async () => {
  const { page, rowOf, noted } = await openPage();
  page.noteFiles.problem = 'The disk is gone.';
  page.notes.lookAgain();
  await expect(page.client.ask('writeNote', { row: rowOf('"Done."'), text: 'x' })).rejects.toThrow(
    'The disk is gone.',
  );
  await page.client.ask('ask', { number: 2, question: NO_QUESTION });
  expect(await noted()).toEqual([]);
});
