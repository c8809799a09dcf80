import { appendFile, mkdir, rename, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { followFile, lookAt } from '../../../src/import/following/followFile.js';
import { importFile } from '../../../src/import/importFile.js';
import type { ImportedRecord } from '../../../src/import/reading/importResult.js';
import { runs } from '../../support/fixedInputs.js';
import { randomNumbers } from '../../support/randomNumbers.js';
import { temporaryFolder } from '../../support/storeFixture.js';

/** How many bytes were read from files, and how often something can still be read before the disk fails. */
const read = vi.hoisted(() => ({ bytes: 0, left: Infinity }));
vi.mock(import('node:fs'), async (original) => {
  const fs = await original();
  const readSync = ((...given: Parameters<typeof fs.readSync>) => {
    if (read.left-- <= 0) throw new Error('The disk has failed.');
    const count = fs.readSync(...given);
    read.bytes += count;
    return count;
  }) as typeof fs.readSync;
  return { ...fs, readSync };
});
vi.mock(import('node:fs/promises'), async (original) => {
  const fs = await original();
  const open = (async (...given: Parameters<typeof fs.open>) => {
    const file = await fs.open(...given);
    const readIt = file.read.bind(file) as (...of: unknown[]) => Promise<{ bytesRead: number }>;
    file.read = (async (...of: unknown[]) => {
      const result = await readIt(...of);
      read.bytes += result.bytesRead;
      return result;
    }) as unknown as typeof file.read;
    return file;
  }) as typeof fs.open;
  return { ...fs, open };
});

/** The ids of a session's threads: its own, of two subagents, and of one that the first of these starts. */
const [ROOT, ADA, BEN, EVE] = ['a', 'b', 'c', 'd'].map(
  (letter) => `${letter.repeat(8)}-0000-7000-8000-000000000000`,
) as [string, string, string, string];

const line = (type: string, payload: object) =>
  `${JSON.stringify({ timestamp: '2026-01-01T00:00:00Z', type, payload })}\n`;
const meta = (id: string, parent?: string, nickname?: string) =>
  line('session_meta', {
    id,
    cwd: '/work',
    agent_nickname: nickname,
    ...(parent !== undefined && { parent_thread_id: parent }),
  });
const turn = (id: string) => line('turn_context', { turn_id: id, model: 'gpt-5' });
const says = (role: string, text: string) =>
  line('response_item', {
    type: 'message',
    role,
    content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }],
  });
const tells = (text: string) => line('event_msg', { type: 'agent_message', message: text });
const thinks = (text: string) =>
  line('response_item', { type: 'reasoning', summary: [{ type: 'summary_text', text }] });
const asks = (call: string, task: string) =>
  line('response_item', {
    type: 'function_call',
    name: 'spawn_agent',
    call_id: call,
    arguments: JSON.stringify({ message: task }),
  });
const began = (call: string, thread: string) =>
  line('response_item', {
    type: 'function_call_output',
    call_id: call,
    output: JSON.stringify({ agent_id: thread }),
  });

/** A folder of a day with sessions in it. */
async function day() {
  const folder = join(await temporaryFolder(), '2026', '01', '01');
  await mkdir(folder, { recursive: true });
  const pathOf = (thread: string) => join(folder, `rollout-2026-01-01T00-00-00-${thread}.jsonl`);
  const write = (thread: string, ...lines: string[]) => appendFile(pathOf(thread), lines.join(''));
  return { folder, pathOf, write };
}

/** Follows a session, with all that was given of it; one that is void is opened again, which is counted. */
async function followed(path: string) {
  let opened = await followFile(path, () => undefined);
  const records: ImportedRecord[] = [...(opened?.conversations[0]?.records ?? [])];
  let again = 0;
  onTestFinished(() => opened?.followed.close());
  const look = async (isQuiet = false): Promise<void> => {
    if (!opened) throw new Error('It is not followed.');
    let { change, gained } = await lookAt(opened, isQuiet);
    records.push(...(gained?.records ?? []));
    while (opened.isMore && !opened.followed.isVoid) {
      ({ change, gained } = await lookAt(opened, false));
      records.push(...(gained?.records ?? []));
    }
    if (!opened.followed.isVoid && change !== 'replaced') return;
    again++;
    opened.followed.close();
    opened = await followFile(path, () => undefined);
    records.splice(0, records.length, ...(opened?.conversations[0]?.records ?? []));
  };
  return { records, look, again: () => again, problems: () => opened?.followed.problems };
}

/** What records say, whatever their numbers are and in which order they stand. */
const content = (records: Iterable<ImportedRecord>) => {
  const names = new Map<unknown, string>([['k1', 'Codex']]);
  const all = [...records] as unknown as Record<string, unknown>[];
  for (const { type, childCall, target } of all)
    if (type === 'dispatch') names.set(childCall, String(target));
  return all
    .map(({ call, parentCall, childCall, ...rest }) =>
      JSON.stringify({
        ...rest,
        seq: 0,
        id: '',
        in: [call, parentCall, childCall].map((each) => names.get(each)),
      }),
    )
    .sort();
};
const said = (records: Iterable<ImportedRecord>) =>
  [...records].flatMap((record) => {
    const { type, agent, message } = record as {
      type: string;
      agent?: string;
      message?: { content: unknown };
    };
    return type === 'message' ? [`${agent ?? ''}: ${String(message?.content)}`] : [];
  });

/** A session with three subagents, as the lines that are written to each file, in an order in which they may come. */
const story: readonly (readonly [thread: string, ...lines: string[]])[] = [
  [ROOT, meta(ROOT), turn('t1'), says('user', 'What is in the larder?')],
  [ROOT, says('assistant', 'I ask two of us.')],
  [ROOT, asks('c1', 'look up')],
  [ADA, meta(ADA, ROOT, 'Ada'), turn('t2'), says('user', 'look up')],
  [ROOT, began('c1', ADA), asks('c2', 'look down')],
  [ADA, tells('On the shelf is flour.'), says('assistant', 'On the shelf is flour.')],
  [BEN, meta(BEN, ROOT, 'Ben')],
  [BEN, turn('t3'), says('user', 'look down')],
  [ROOT, began('c2', BEN)],
  [ADA, asks('c3', 'weigh it')],
  [EVE, meta(EVE, ADA, 'Eve'), turn('t4'), says('user', 'weigh it')],
  [ADA, began('c3', EVE)],
  [EVE, thinks('It is heavy.'), says('assistant', 'Two pounds.')],
  [BEN, says('assistant', 'Below are mice.')],
  [ROOT, says('assistant', 'Flour and mice.')],
];

test('subagents of a session are read on as they speak, each in the call that started it', async () => {
  const { pathOf, write } = await day();
  for (const [thread, ...lines] of story.slice(0, 3)) await write(thread, ...lines);
  const session = await followed(pathOf(ROOT));
  for (const [thread, ...lines] of story.slice(3)) {
    await write(thread, ...lines);
    await session.look();
  }
  await session.look(true);
  const whole = await importFile(pathOf(ROOT));
  expect(content(session.records)).toEqual(content(whole.conversations[0]?.records ?? []));
  expect(session.problems()).toEqual(whole.problems);
  expect(said(session.records)).toContain('Eve: Two pounds.');
  // What the first words of a subagent say of it comes before or after the call that started it is answered.
  expect(session.again()).toBe(0);
});

test('whatever comes first, following gives what reading as a whole gives', async () => {
  const random = randomNumbers(19);
  let opened = 0;
  for (let round = 0; round < runs(40); round++) {
    const { pathOf, write } = await day();
    const queues = new Map([ROOT, ADA, BEN, EVE].map((thread) => [thread, [] as string[]]));
    for (const [thread, ...lines] of story) queues.get(thread)?.push(...lines);
    await write(
      ROOT,
      queues.get(ROOT)?.shift() ?? '',
      queues.get(ROOT)?.shift() ?? '',
      queues.get(ROOT)?.shift() ?? '',
    );
    const session = await followed(pathOf(ROOT));
    for (let left = [...queues]; left.length > 0; left = left.filter(([, lines]) => lines.length > 0)) {
      const [thread, lines] = left[Math.floor(random() * left.length)] ?? [ROOT, []];
      const next = lines.shift() ?? '';
      const half = Math.floor(random() * next.length);
      await write(thread, next.slice(0, half));
      await session.look(random() < 0.1);
      await write(thread, next.slice(half));
      if (random() < 0.7) await session.look(random() < 0.2);
    }
    await session.look();
    for (let quiet = 0; quiet < 10; quiet++) await session.look(true);
    const whole = await importFile(pathOf(ROOT));
    expect(content(session.records), `round ${round}`).toEqual(
      content(whole.conversations[0]?.records ?? []),
    );
    opened += session.again();
  }
  // Words that come long before those which say where they belong are read anew, but not at each line.
  expect(opened).toBeLessThan(runs(40) * 12);
});

test('a rollout beside that was replaced while both were written loses nothing of the session', async () => {
  const { folder, pathOf, write } = await day();
  for (const [thread, ...lines] of story) await write(thread, ...lines);
  const session = await followed(pathOf(ROOT));
  await write(ROOT, says('user', 'And now?'), says('assistant', 'Now we bake.'));
  const next = join(folder, 'next');
  await writeFile(
    next,
    [meta(ADA, ROOT, 'Ada'), turn('t2'), says('user', 'look up'), says('assistant', 'No.')].join(''),
  );
  await rename(next, pathOf(ADA));
  await session.look();
  await session.look(true);
  expect(said(session.records)).toContain('Codex: Now we bake.');
  expect(content(session.records)).toEqual(
    content((await importFile(pathOf(ROOT))).conversations[0]!.records),
  );
  expect(session.again()).toBe(1);
});

test('what a subagent repeats of its parent is left out as it is read', async () => {
  const { pathOf, write } = await day();
  const copied = [turn('t1'), says('user', 'go'), says('assistant', 'ok')];
  await write(ROOT, meta(ROOT), ...copied, turn('t2'), asks('c1', 'look'));
  const session = await followed(pathOf(ROOT));
  await write(ROOT, began('c1', ADA));
  await write(ADA, meta(ADA, ROOT, 'Ada'), meta(ROOT), ...copied);
  await session.look();
  await write(ADA, turn('t9'), says('user', 'look'));
  await session.look();
  for (let quiet = 0; quiet < 3; quiet++) await session.look(true);
  const whole = await importFile(pathOf(ROOT));
  expect(said(session.records).filter((each) => each.startsWith('Ada'))).toEqual(['Ada: look']);
  expect(content(session.records)).toEqual(content(whole.conversations[0]?.records ?? []));
  expect(session.problems()).toEqual(whole.problems);
  expect(session.again()).toBe(0);
});

test('a session with subagents that has ended is opened in the order of its import', async () => {
  const { pathOf, write } = await day();
  for (const [thread, ...lines] of [...story, [BEN, thinks('The end.')] as const])
    await write(thread, ...lines);
  await utimes(pathOf(ROOT), 0, 0);
  const session = await followed(pathOf(ROOT));
  const whole = await importFile(pathOf(ROOT));
  expect(session.records).toEqual(whole.conversations[0]?.records);
  expect(session.problems()).toEqual(whole.problems);
});

test('what could not be read for a moment is read by the next look', async () => {
  const { pathOf, write } = await day();
  await write(ROOT, meta(ROOT), says('user', 'go'), says('assistant', 'I ask.'), asks('c1', 'look'));
  await write(ROOT, began('c1', ADA));
  await write(ADA, meta(ADA, ROOT, 'Ada'), says('user', 'look'));
  const session = await followed(pathOf(ROOT));
  await write(ROOT, says('assistant', 'I wait.'));
  // Its beginning, by which it is known, is read before.
  read.left = 1;
  await expect(session.look()).rejects.toThrow('The disk has failed.');
  read.left = Infinity;
  await session.look();
  await session.look(true);
  expect(said(session.records)).toContain('Codex: I wait.');
  expect(session.again()).toBe(0);
});

test('where more sessions begin on a day than are looked at, it is told that some may be missing, as when it is imported', async () => {
  const { folder, pathOf, write } = await day();
  await write(ROOT, meta(ROOT), says('user', 'go'));
  const begin = async (from: number, to: number) => {
    for (let other = from; other < to; other++) {
      const id = `e0000000-0000-7000-8000-${String(other).padStart(12, '0')}`;
      await writeFile(join(folder, `rollout-2026-01-01T00-00-01-${id}.jsonl`), meta(id));
    }
  };
  await begin(0, 1_001);
  const session = await followed(pathOf(ROOT));
  const problems = async () => (await importFile(pathOf(ROOT))).problems;
  expect(session.problems()).toEqual(await problems());
  expect(await problems()).toHaveLength(1);
  await begin(1_001, 1_003);
  await session.look();
  expect(session.problems()).toEqual(await problems());
});

test('a line of a subagent costs what it has, however much was said and however many sessions are in the folder', async () => {
  const costOf = async (talk: number, others: number) => {
    const { folder, pathOf, write } = await day();
    for (let other = 0; other < others; other++) {
      const id = `e0000000-0000-7000-8000-${String(other).padStart(12, '0')}`;
      await writeFile(join(folder, `rollout-2026-01-01T00-00-01-${id}.jsonl`), meta(id));
    }
    const lines = (who: string) => Array.from({ length: talk }, (_, of) => says('assistant', `${who} ${of}`));
    await write(ROOT, meta(ROOT), says('user', 'go'), asks('c1', 'look'), began('c1', ADA), ...lines('root'));
    await write(ADA, meta(ADA, ROOT, 'Ada'), says('user', 'look'), ...lines('Ada'));
    const session = await followed(pathOf(ROOT));
    for (let of = 0; of < 20; of++) {
      // What is read of a file while it is opened may be needed once more.
      if (of === 2) read.bytes = 0;
      await write(ADA, says('assistant', `more ${of}`));
      await session.look();
      await write(ROOT, says('assistant', `also ${of}`));
      await session.look();
    }
    await session.look(true);
    expect(said(session.records)).toHaveLength(2 * talk + 44);
    expect(session.again()).toBe(0);
    return read.bytes;
  };
  const [short, long] = [await costOf(10, 1), await costOf(2_000, 100)];
  expect(short).toBeGreaterThan(0);
  expect(long).toBeLessThan(short * 2);
});
