import { appendFile, mkdir, utimes, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { followFile, lookAt } from '../../../src/import/following/followFile.js';
import { FollowedFile } from '../../../src/import/following/followedFile.js';
import { importFile } from '../../../src/import/importFile.js';
import type { ImportedRecord } from '../../../src/import/reading/importResult.js';
import { hasRealTranscripts, realTranscriptPaths } from '../../support/realTranscripts.js';
import { temporaryFolder } from '../../support/storeFixture.js';

/** How many bytes were read from files, and written to them. */
const read = vi.hoisted(() => ({ bytes: 0 }));
const written = vi.hoisted(() => ({ bytes: 0 }));
vi.mock(import('node:fs'), async (original) => {
  const fs = await original();
  const readSync = ((...given: Parameters<typeof fs.readSync>) => {
    const count = fs.readSync(...given);
    read.bytes += count;
    return count;
  }) as typeof fs.readSync;
  const writeSync = ((...given: Parameters<typeof fs.writeSync>) => {
    const count = fs.writeSync(...given);
    written.bytes += count;
    return count;
  }) as typeof fs.writeSync;
  return { ...fs, readSync, writeSync };
});
beforeEach(() => {
  read.bytes = 0;
  written.bytes = 0;
});

const at = '2026-01-01T00:00:00Z';
const line = (uuid: string, type: string, content: unknown, id?: string) =>
  `${JSON.stringify({ type, uuid, sessionId: 's1', timestamp: at, message: { role: type, ...(id && { id }), content } })}\n`;
const question = (of: number) => line(`u${of}`, 'user', `Question ${of}`);
const answer = (of: number | string, id = `m${of}`) =>
  line(`a${of}`, 'assistant', [{ type: 'text', text: `Answer ${of}` }], id);

/** A file that is followed from the beginning, with all that was given of it. */
async function following(content: string) {
  const path = join(await temporaryFolder(), 's1.jsonl');
  await writeFile(path, content);
  let opened = FollowedFile.open(path);
  const records: ImportedRecord[] = [];
  onTestFinished(() => opened?.close());
  const file = () => {
    if (!opened) throw new Error('It is not followed.');
    return opened;
  };
  const readOn = () => {
    const { records: more } = file().readOn();
    records.push(...more);
    return file();
  };
  /** Opens it again where it is void. */
  const again = () => {
    opened?.close();
    records.length = 0;
    opened = FollowedFile.open(path);
    opened?.lookAhead();
    return readOn();
  };
  const settle = () => records.push(...file().settle().records);
  const texts = () =>
    records.flatMap((record) => {
      const { type, message } = record as { type: string; message?: { content: unknown } };
      return type === 'message' ? [message?.content] : [];
    });
  return { path, records, readOn, again, settle, texts, isFollowed: () => opened !== undefined };
}

const FOLLOWED = ['claude-code', 'codex', 'pi', 'copilot-events', 'gemini-cli'];

test.runIf(hasRealTranscripts)(
  'what is read of real sessions line by line, and in halves, is what reading them as a whole gives',
  async () => {
    let [sessions, lines, opened] = [0, 0, 0];
    for (const path of realTranscriptPaths('.jsonl')) {
      const whole = await importFile(path, { alone: true });
      if (!FOLLOWED.includes(whole.format) || whole.conversations.length !== 1) continue;
      const text = readFileSync(path, 'utf8');
      const all = text.split('\n').filter((each) => each.trim() !== '');
      const session = await following(`${all[0] ?? ''}\n`);
      session.again();
      for (const each of all.slice(1)) {
        const half = Math.floor(each.length / 2);
        for (const piece of [each.slice(0, half), `${each.slice(half)}\n`]) {
          await appendFile(session.path, piece);
          if (session.readOn().isVoid) {
            opened++;
            expect(session.again().isVoid).toBe(false);
          }
        }
        lines++;
      }
      session.settle();
      const named = session.records.map((record) => ({ ...record, conversation: '' }));
      const expected = whole.conversations[0]?.records.map((record) => ({ ...record, conversation: '' }));
      expect(named, path).toEqual(expected);
      sessions++;
    }
    expect(sessions).toBeGreaterThan(10);
    // Now and then a line changes what was read before it; mostly none does.
    expect(opened).toBeLessThan(lines / 10);
  },
);

test.runIf(hasRealTranscripts)(
  'real sessions are opened with their subagents as they are imported',
  async () => {
    let [sessions, subagents] = [0, 0];
    for (const path of realTranscriptPaths('.jsonl')) {
      const followed = await followFile(path, () => undefined);
      if (!followed) continue;
      const whole = await importFile(path);
      followed.followed.close();
      const { id, title, facts, records } = followed.conversations[0] ?? { records: [] };
      expect([{ id, title, facts, records: [...records] }], path).toEqual(
        whole.conversations.map(({ facts: told, ...each }) => ({ ...each, facts: told })),
      );
      expect(followed.problems, path).toEqual(whole.problems);
      followed.close();
      sessions++;
      if (followed.readWith.length > 0) subagents++;
    }
    expect(sessions).toBeGreaterThan(10);
    expect(subagents).toBeGreaterThan(0);
  },
);

test('a line costs what it has, however long the file is', async () => {
  const costOf = async (lines: number) => {
    const before = Array.from({ length: lines }, (_, of) => question(of) + answer(of)).join('');
    const session = await following(before);
    session.readOn();
    read.bytes = 0;
    for (let of = lines; of < lines + 20; of++) {
      await appendFile(session.path, question(of));
      session.readOn();
      await appendFile(session.path, answer(of));
      session.readOn();
    }
    session.settle();
    expect(session.texts().length).toBe(2 * lines + 40);
    return read.bytes;
  };
  const [short, long] = [await costOf(10), await costOf(3_000)];
  expect(short).toBeGreaterThan(0);
  expect(long).toBeLessThan(short * 2);
});

test('an answer waits for its further lines, and is told meanwhile', async () => {
  const session = await following(question(1) + answer('first', 'm1'));
  expect(session.readOn().saidSoFar).toEqual([
    { call: 'k1', agent: 'Claude', depth: 0, text: 'Answer first', reasoning: '' },
  ]);
  const call = [{ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls' } }];
  await appendFile(session.path, line('a2', 'assistant', call, 'm1'));
  expect(session.readOn().saidSoFar[0]?.text).toBe('Answer first\nBash {"command":"ls"}');
  expect(session.texts()).toEqual(['Question 1']);
  await appendFile(session.path, question(2));
  const file = session.readOn();
  expect(session.texts()).toEqual(['Question 1', 'Answer first', 'Question 2']);
  expect([file.isVoid, file.saidSoFar]).toEqual([false, []]);
});

test('a line that belongs to what was given already makes the file void, and it is read anew', async () => {
  const session = await following(question(1) + answer('first', 'm1') + question(2));
  session.readOn();
  await appendFile(session.path, answer('second', 'm1'));
  expect(session.readOn().isVoid).toBe(true);
  session.again();
  session.settle();
  expect(session.texts()).toHaveLength(3);
});

test('what was given is kept nowhere; a line that changes it makes the file void', async () => {
  const talk = Array.from(
    { length: 2_000 },
    (_, of) => question(of) + answer(`${of} of ${'many '.repeat(40)}`),
  );
  const session = await following(talk.join(''));
  while (session.readOn().bytes < talk.join('').length);
  expect(session.texts()).toHaveLength(3_999);
  expect(written.bytes).toBeLessThan(100_000);
  await appendFile(session.path, answer('another', `m1 of ${'many '.repeat(40)}`));
  expect(session.readOn().isVoid).toBe(true);
});

test.each([
  ['another session names itself later', (more: string) => more.replaceAll('s1', 's2'), false],
  ['the session goes on', (more: string) => more, false],
  ['a line is no JSON', () => '{"type":"user"\n', true],
])('where %s, what was read stays as long as it is true', async (_how, change, isVoid) => {
  const session = await following(question(1) + answer(1));
  session.readOn();
  await appendFile(session.path, change(question(2)));
  expect(session.readOn().isVoid).toBe(isVoid);
});

test('what a reader makes nothing of is kept where it was read', async () => {
  const session = await following(question(1));
  session.readOn();
  await appendFile(session.path, question(1).replace('Question 1', 'Another text under the same id'));
  session.readOn();
  session.settle();
  expect(session.texts()).toEqual(['Question 1', 'Another text under the same id']);
});

test.each([
  ['another tool’s list', '[{"role":"user","content":"Hello there"}]\n'],
  ['text', 'just words\n'],
  ['nothing', ''],
  ['values of several sessions', '{"id":"a","messages":[{"role":"user","content":"Hello a"}]}\n'.repeat(2)],
])('%s is not followed line by line', async (_what, content) => {
  expect((await following(content)).isFollowed()).toBe(false);
});

/** A session that asks a subagent, whose lines are in a file of their own. */
async function asking() {
  const root = await temporaryFolder();
  const [path, agent] = [join(root, 's1.jsonl'), join(root, 's1', 'subagents', 'agent-a1.jsonl')];
  const input = { description: 'Look', prompt: 'Look into the drawer', subagent_type: 'finder' };
  const call = [{ type: 'tool_use', id: 't1', name: 'Task', input }];
  await writeFile(path, question(1) + line('a1', 'assistant', call, 'm1'));
  await mkdir(dirname(agent), { recursive: true });
  const says = (uuid: string, type: string, content: unknown, id?: string) =>
    line(uuid, type, content, id).replace('{', '{"isSidechain":true,"agentId":"a1",');
  return { path, agent, says };
}

/** Who says what, in order. */
const said = (records: Iterable<ImportedRecord>) =>
  Array.from(records).flatMap((record) => {
    const { type, agent, message } = record as { type: string; agent?: string; message?: { role: string } };
    return type === 'message' ? [`${agent ?? ''}: ${message?.role ?? ''}`] : [];
  });

test('subagents are read on as they speak, each in the call that started it', async () => {
  const { path, agent, says } = await asking();
  const followed = await followFile(path, () => undefined);
  onTestFinished(() => followed?.followed.close());
  if (!followed) throw new Error('It is not followed.');
  const records = [...(followed.conversations[0]?.records ?? [])];
  const more = async (isBeside: boolean) => {
    const { change, gained } = await lookAt(followed, false);
    expect(change).toBe(isBeside ? 'grownBeside' : 'grown');
    expect(followed.followed.isVoid).toBe(false);
    records.push(...(gained?.records ?? []));
  };
  expect(said(records)).toEqual(['Claude: user']);
  await writeFile(agent, says('x1', 'user', 'Look into the drawer'));
  await more(true);
  expect(said(records)).toEqual(['Claude: user', 'Claude: assistant', 'finder: user']);
  await appendFile(agent, says('x2', 'assistant', [{ type: 'text', text: 'Spoons.' }], 'x'));
  await more(true);
  expect(followed.followed.saidSoFar.map((each) => [each.agent, each.text])).toEqual([['finder', 'Spoons.']]);
  const result = [{ type: 'tool_result', tool_use_id: 't1', content: 'Spoons.' }];
  await appendFile(path, line('u2', 'user', result).replace('{', '{"toolUseResult":{"agentId":"a1"},'));
  await more(false);
  records.push(...((await lookAt(followed, true)).gained?.records ?? []));
  const whole = await importFile(path);
  // They stand as they were read; a later reading puts each behind the call that started it.
  expect(said(records).sort()).toEqual(said(whole.conversations[0]?.records ?? []).sort());
  expect(records.filter(({ type }) => type === 'dispatch')).toMatchObject([
    { target: 'finder', toolCallId: 't1', task: 'Look into the drawer' },
  ]);
  await writeFile(agent.replace('agent-a1.jsonl', 'notes.jsonl'), question(9));
  await lookAt(followed, false);
  expect(followed.followed.isVoid).toBe(true);
});

test('a session with subagents that has ended is read in the order of its import', async () => {
  const { path, agent, says } = await asking();
  await writeFile(agent, says('x1', 'user', 'Look into the drawer') + says('x2', 'assistant', 'Spoons.'));
  await appendFile(
    path,
    line('u2', 'user', [{ type: 'tool_result', tool_use_id: 't1', content: 'Spoons.' }]),
  );
  await utimes(path, 0, 0);
  const followed = await followFile(path, () => undefined);
  onTestFinished(() => followed?.followed.close());
  const whole = await importFile(path);
  expect([...(followed?.conversations[0]?.records ?? [])]).toEqual(whole.conversations[0]?.records);
  expect(said(whole.conversations[0]?.records ?? [])).toContain('finder: assistant');
});

test('a session of more than is held at once is read on with its subagents', async () => {
  const { path, agent, says } = await asking();
  const much = (of: number) => `Answer ${of}: ${'word '.repeat(2_000)}`;
  const own: string[] = [];
  const others: string[] = [says('x0', 'user', 'Look into the drawer')];
  for (let of = 0; of < 900; of++) {
    own.push(line(`q${of}`, 'user', `Question ${of}`), line(`r${of}`, 'assistant', much(of), `r${of}`));
    others.push(says(`x${of + 1}`, 'assistant', much(of), `x${of}`));
  }
  const result = [{ type: 'tool_result', tool_use_id: 't1', content: 'Spoons.' }];
  const ended = line('u2', 'user', result).replace('{', '{"toolUseResult":{"agentId":"a1"},');
  await appendFile(path, ended + own.join(''));
  await writeFile(agent, others.join(''));
  await utimes(path, 0, 0);
  const followed = await followFile(path, () => undefined);
  onTestFinished(() => followed?.followed.close());
  const whole = await importFile(path);
  expect(whole.conversations[0]?.records.length).toBeGreaterThan(2_700);
  expect([...(followed?.conversations[0]?.records ?? [])]).toEqual(whole.conversations[0]?.records);
  if (!followed) return;
  read.bytes = 0;
  await appendFile(agent, says('y1', 'assistant', 'One more.', 'y1'));
  const { gained } = await lookAt(followed, false);
  expect([followed.followed.isVoid, said(gained?.records ?? [])]).toEqual([false, []]);
  expect(said((await lookAt(followed, true)).gained?.records ?? [])).toEqual(['finder: assistant']);
  expect(read.bytes).toBeLessThan(1_000_000);
});

test('a file that was replaced is not read on', async () => {
  const session = await following(question(1) + question(2));
  session.readOn();
  await writeFile(session.path, question(3));
  expect(() => session.readOn()).toThrow('replaced');
});
