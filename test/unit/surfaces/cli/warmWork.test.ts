import { rm } from 'node:fs/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Questions } from '../../../../src/surfaces/cli/questions.js';
import { agentLogbook } from '../../../support/commandLine.js';
import { claudeSession, writeAt } from '../../../support/sessionHome.js';
import { temporaryFolder } from '../../../support/storeFixture.js';

/** How often columns of a session were taken apart, and files looked at. */
const calls = vi.hoisted(() => ({ parsed: 0, statSync: 0, lstatSync: 0 }));

vi.mock('../../../../src/search/stored/columns/searchFile.js', async (importOriginal) => {
  const { parseSearchFile, ...others } = await importOriginal<{
    parseSearchFile: (bytes: Buffer) => unknown;
  }>();
  return { ...others, parseSearchFile: (bytes: Buffer) => (calls.parsed++, parseSearchFile(bytes)) };
});

vi.mock('node:fs', async (importOriginal) => {
  const fs = await importOriginal<Record<string, (...args: unknown[]) => unknown>>();
  const counting = (name: 'statSync' | 'lstatSync') => [
    name,
    (...args: unknown[]) => {
      calls[name]++;
      return fs[name]?.(...args);
    },
  ];
  return { ...fs, ...(Object.fromEntries([counting('statSync'), counting('lstatSync')]) as object) };
});

const WRITTEN = Date.parse('2026-01-05');
const SESSIONS = 20;
/** Of a text that is long enough it is known what cannot stand in it. */
const LONG = Array.from({ length: 400 }, (_, at) => `loaf ${at * at}`).join(' ');

/** What a question to found sessions, of which all is kept, is answered, and the work that it was. */
async function warm() {
  const [home, cache] = [await temporaryFolder(), await temporaryFolder()];
  const idOf = (at: number) => `${String(at).padStart(8, '0')}-1111-1111-1111-111111111111`;
  const files = Array.from({ length: SESSIONS }, (_, at) => [
    `.claude/projects/-home-me-bakery/${idOf(at)}.jsonl`,
    // Nothing that another one tells too.
    claudeSession(`Bake ${at === 7 ? 'a quiche' : 'bread'} ${LONG}`, '/home/me/bakery', idOf(at))
      .replaceAll('"uuid":"', `"uuid":"${at}`)
      .replaceAll('"id":"m"', `"id":"m${at}"`),
  ]);
  await writeAt(home, Object.fromEntries(files) as Record<string, string>, WRITTEN);
  const ask = (...words: string[]) =>
    agentLogbook([...words, '--from', 'claude-code'], { cwd: home, env: { HOME: home }, cache });
  await ask('search', 'role:user');
  return async (...words: string[]) => {
    for (const name of Object.keys(calls)) calls[name as keyof typeof calls] = 0;
    const { code, err, out } = await ask(...words);
    return { code, err, out, ...calls };
  };
}

test('a rare word takes apart what is kept of those sessions alone in which it may stand', async () => {
  const ask = await warm();
  const { out, parsed } = await ask('query', '--count', 'quiche');
  expect(out.trim()).toBe('1');
  expect(parsed).toBeLessThan(SESSIONS / 4);
});

test('a question to found sessions, of which all is kept, takes each apart once and looks once at its files', async () => {
  const ask = await warm();
  const { out, parsed, statSync, lstatSync } = await ask('query', '--count', 'role:user');
  expect(Number(out)).toBe(SESSIONS);
  expect(parsed).toBe(SESSIONS);
  // The file, its settings and the folder of its subagents.
  expect(statSync / SESSIONS).toBeLessThan(4);
  expect(lstatSync / SESSIONS).toBeLessThan(2);
});

test.each([['query'], ['search']])(
  'a session whose file is gone since it was looked at hides no other: %s',
  async (command) => {
    const ask = await warm();
    const readAhead = vi.spyOn(Questions.prototype, 'readAhead');
    onTestFinished(() => readAhead.mockRestore());
    readAhead.mockImplementation(async ({ where }) => {
      if (where.includes('00000007-')) await rm(where, { force: true });
      return undefined;
    });
    const { code, err, out } = await ask(command, 'role:user', '--limit', '100');
    expect(code).toBe(1);
    expect(err).toMatch(/00000007-\S+ is not shown: .*no such file/);
    expect(out.match(/Bake bread/g)?.length).toBeGreaterThanOrEqual(SESSIONS - 1);
  },
);
