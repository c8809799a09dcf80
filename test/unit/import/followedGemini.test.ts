import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { FollowedFile } from '../../../src/import/following/followedFile.js';
import { importFile } from '../../../src/import/importFile.js';
import type { ImportedRecord } from '../../../src/import/reading/importResult.js';
import { randomNumbers } from '../../support/randomNumbers.js';
import { temporaryFolder } from '../../support/storeFixture.js';

const header = { sessionId: 'g1', projectHash: 'h', startTime: '2026-01-01T00:00:00Z' };

/** The lines of a session as Gemini CLI writes them: an answer again with its tokens, and again with its tools. */
function session(turns: number, seed: number): string[] {
  const random = randomNumbers(seed);
  const one = (of: number) => Math.floor(random() * of);
  const lines: object[] = [header];
  for (let at = 0; at < turns; at++) {
    const timestamp = new Date(1_790_000_000_000 + at * 1_000).toISOString();
    lines.push({ id: `u${at}`, timestamp, type: 'user', content: [{ text: `Question number ${at}` }] });
    const said = {
      id: `a${at}`,
      timestamp,
      type: 'gemini',
      content: `The answer to number ${at}`,
      model: 'g',
    };
    const tokens = { input: 10 + at, output: 5, cached: 0, thoughts: 0, tool: 0 };
    const tool = { id: `t${at}`, name: 'weigh', args: { what: `flour ${at}` }, status: 'success' };
    const response = { output: `Weighed ${'much '.repeat(one(60))}${at}` };
    const toolCalls = [{ ...tool, result: [{ functionResponse: { id: `t${at}`, response } }] }];
    const versions = [said, { ...said, tokens }, { ...said, tokens, toolCalls }];
    for (const version of versions.slice(one(3))) {
      lines.push(version);
      if (one(4) === 0) lines.push({ $set: { lastUpdated: timestamp } });
      if (one(8) === 0) lines.push({ $set: { summary: `About question ${at}` } });
    }
    if (one(3) === 0) lines.push({ type: 'info', timestamp, content: `A note on question ${at}` });
  }
  return lines.map((line) => `${JSON.stringify(line)}\n`);
}

async function following(content: string) {
  const path = join(await temporaryFolder(), 'session-1.jsonl');
  await writeFile(path, content);
  const opened = FollowedFile.open(path);
  if (!opened) throw new Error('It is not followed.');
  onTestFinished(() => opened.close());
  const records: ImportedRecord[] = [];
  const readOn = () => records.push(...opened.readOn().records);
  const settle = () => records.push(...opened.settle().records);
  readOn();
  return { path, opened, records, readOn, settle };
}

const wholeOf = async (path: string) => (await importFile(path)).conversations[0];

test('a session that is written message by message gives what reading it as a whole gives, at each line', async () => {
  for (let seed = 1; seed <= 8; seed++) {
    const [first = '', ...others] = session(8, seed);
    const grown = await following(first);
    for (const line of others) {
      await appendFile(grown.path, line);
      grown.readOn();
      expect(grown.opened.isVoid).toBe(false);
      const whole = await wholeOf(grown.path);
      // What may come again waits, with what follows it.
      expect(grown.records).toEqual(whole?.records.slice(0, grown.records.length));
      expect(grown.opened.title).toBe(whole?.title);
    }
    grown.settle();
    expect(grown.records).toEqual((await wholeOf(grown.path))?.records);
  }
});

test('pieces of any length give the same', async () => {
  const all = session(40, 9);
  for (const size of [2, 3, 5, 7, 50, 400]) {
    const grown = await following(all[0] ?? '');
    for (let at = 1; at < all.length; at += size) {
      await appendFile(grown.path, all.slice(at, at + size).join(''));
      grown.readOn();
    }
    grown.settle();
    expect(grown.opened.isVoid).toBe(false);
    expect(grown.records).toEqual((await wholeOf(grown.path))?.records);
  }
});

const line = (value: object) => `${JSON.stringify(value)}\n`;
const asked = (id: string) => line({ id, type: 'user', content: `What is ${id}?` });
const answered = (id: string, content: string) => line({ id, type: 'gemini', content });

test('an answer is told while it may come again, and comes again in its place', async () => {
  const grown = await following(line(header) + asked('u1') + answered('a1', 'It is flour'));
  const said = () => grown.opened.saidSoFar.map(({ text }) => text);
  expect(said()).toEqual(['It is flour']);
  await appendFile(grown.path, answered('a1', 'It is flour.') + answered('a1', 'It is flour. Sifted.'));
  grown.readOn();
  expect(said()).toEqual(['It is flour. Sifted.']);
  await appendFile(grown.path, asked('u2'));
  grown.readOn();
  expect([said(), grown.opened.isVoid]).toEqual([[], false]);
  expect(grown.records).toEqual((await wholeOf(grown.path))?.records);
});

test.each([
  ['others have followed it', ''],
  ['others follow it in the same piece', asked('u3') + answered('a3', 'It is salt.')],
])('a message that comes again after %s makes the file void', async (_what, before) => {
  const grown = await following(line(header) + asked('u1') + answered('a1', 'It is flour.') + asked('u2'));
  await appendFile(grown.path, before + answered('a1', 'It is sugar.'));
  grown.readOn();
  expect(grown.opened.isVoid).toBe(true);
});

test('an answer that comes again after nothing came for a while makes the file void', async () => {
  const grown = await following(line(header) + asked('u1') + answered('a1', 'It is flour.'));
  grown.settle();
  expect(grown.records).toHaveLength(3);
  await appendFile(grown.path, answered('a1', 'It is sugar.'));
  grown.readOn();
  expect(grown.opened.isVoid).toBe(true);
});
