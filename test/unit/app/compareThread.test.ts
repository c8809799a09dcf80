import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test as base } from 'vitest';
import { CompareThread, type RunPlace } from '../../../src/app/sources/compareThread.js';
import { silentLog } from '../../../src/core/ports/log.js';
import { buildWorker } from '../../support/sharedBuilds.js';
import { temporaryFolder } from '../../support/storeFixture.js';

const KEY = `ghp_${'aB3'.repeat(12)}`;
const { signal } = new AbortController();

const test = base.extend(
  'script',
  { scope: 'file' },
  async () => await buildWorker('app/sources/compare.worker.ts'),
);

/** A session of so many calls, of which some read another file. */
function session(calls: number, other: readonly number[] = [], word = 'cookie'): string {
  const lines: object[] = [{ role: 'user', content: `Bake a ${word}.` }];
  for (let at = 0; at < calls; at++) {
    const path = other.includes(at) ? `other ${at} ${word}.mjs` : `${at}.mjs`;
    const call = {
      id: `c${at}`,
      type: 'function',
      function: { name: 'read_file', arguments: JSON.stringify({ path }) },
    };
    lines.push({ role: 'assistant', content: '', tool_calls: [call] });
    lines.push({ role: 'tool', tool_call_id: `c${at}`, content: `What is in ${path}: ${KEY}` });
  }
  return [...lines, { role: 'assistant', content: 'Done.' }]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');
}

async function threadOver(script: string, texts: readonly string[], wanted?: readonly Partial<RunPlace>[]) {
  const folder = await temporaryFolder();
  const places = await Promise.all(
    texts.map(async (text, at): Promise<RunPlace> => {
      const root = join(folder, `session${at}.jsonl`);
      await writeFile(root, text);
      return { kind: 'file', root, conversation: '', ...wanted?.[at] };
    }),
  );
  const thread = new CompareThread(places, {
    ownPrices: '',
    policy: {},
    log: silentLog,
    script: new URL(script),
  });
  onTestFinished(() => thread.dispose());
  return thread;
}

test('two runs are rows that are asked for, found by questions to one side, and shown as they were said', async ({
  script,
}) => {
  const thread = await threadOver(script, [session(20), session(20, [7])]);
  const told: string[] = [];
  const view = await thread.compare({ keep: [] }, signal, (run) => told.push(run));
  expect(told).toHaveLength(2);
  expect(view.rows).toBe(`${'='.repeat(8)}x${'='.repeat(13)}`);
  expect(view.sentence).toContain('with another path: 7.mjs left, other 7 cookie.mjs right');
  const [row] = await thread.rows(8, 1);
  expect(row).toMatchObject({ difference: 'other arguments', detail: 'path: 7.mjs → other 7 cookie.mjs' });
  expect(await thread.ask('tool:read_file "other" side:right')).toEqual({ rows: [8], left: 0, right: 1 });
  expect(await thread.ask('side:left')).toMatchObject({ left: 22, right: 0 });
  expect(await thread.ask('-side:left')).toMatchObject({ left: 0, right: 22 });
  // Within brackets, joined and quoted it is a part of the question like any other.
  expect(await thread.ask('(side:left OR "other 7")')).toMatchObject({ left: 22, right: 1 });
  expect(await thread.ask('(side:left tool:read_file OR side:right "other 7")')).toMatchObject({
    left: 20,
    right: 1,
  });
  expect(await thread.ask('"side:left"')).toMatchObject({ left: 0, right: 0 });
  await expect(thread.ask('side:up')).rejects.toThrow('side: takes left or right; up is neither.');
  await expect(thread.ask('side:(left OR right)')).rejects.toThrow('side: takes left or right');
  await expect(thread.ask('side:left OR tool:read_file')).rejects.toThrow('OR');
  await expect(thread.ask('tol:x')).rejects.toThrow('tol');
  // Here a person reads what is on the machine; what leaves it has no secrets.
  const bodies = await thread.bodies(8);
  expect(bodies.left).toContain('"path": "7.mjs"');
  expect(bodies.right).toContain(`What is in other 7 cookie.mjs: ${KEY}`);
  expect(await thread.place(8, 'right')).toEqual({ run: 1, position: expect.any(Number) as number });
  for (const format of ['markdown', 'html', 'csv'] as const)
    expect(await thread.text(format)).not.toContain(KEY);
  expect(await thread.text('csv')).toMatch(/^what,unit,"?Bake/);
});

test('what is compared as it is may be switched, and one file that cannot be read hides no other', async ({
  script,
}) => {
  const dated = (day: number) => session(3).replaceAll(KEY, `It is 2026-11-${day}.`);
  const thread = await threadOver(script, [dated(11), dated(12)]);
  expect((await thread.compare({ keep: [] }, signal, () => undefined)).rows).not.toContain('x');
  const strict = await thread.compare({ keep: ['times'] }, signal, () => undefined);
  expect(strict.rows).toContain('x');
  expect(strict.rules.find(({ name }) => name === 'times')).toMatchObject({ isOn: false });
  const three = await threadOver(script, [session(3), 'no transcript', session(3, [1])]);
  const view = await three.compare({ keep: [] }, signal, () => undefined);
  expect(view.rows).toContain('x');
  expect(view.notes.join('\n')).toContain('session1.jsonl is left out, because it cannot be read');
  const one = await threadOver(script, [session(3)]);
  await expect(one.compare({ keep: [] }, signal, () => undefined)).rejects.toThrow(
    'To compare takes two runs',
  );
});

test('the runs of one session are a set, and each can be opened by itself', async ({ script }) => {
  const thread = await threadOver(script, [session(3) + session(3, [1]) + session(3)]);
  const view = await thread.compare({ keep: [] }, signal, () => undefined);
  expect(view.names).toHaveLength(3);
  expect(view.rows).toBeUndefined();
  expect(view.spreads.find(({ name }) => name === 'Steps')?.points).toHaveLength(3);
  expect(await thread.places()).toMatchObject([{ run: 1 }, { run: 2 }, { run: 3 }]);
  await expect(thread.rows(0, 1)).rejects.toThrow('Two runs must have been compared');
  expect([view.baseline, view.numbers]).toEqual([0, [1, 2, 3]]);
  expect((await thread.compare({ keep: [], baseline: 2 }, signal, () => undefined)).baseline).toBe(1);
  expect((await thread.compare({ keep: [], baseline: 'typical' }, signal, () => undefined)).baseline).toBe(0);
  expect(await thread.text('csv')).toMatch(/^run,end,success,scores,/);
});

test('it is cancelled at once, and compares again when asked', async ({ script }) => {
  const nothingUnique = (word: string) => session(4_000, [], word).replaceAll(/\d+\.mjs/g, 'same.mjs');
  const thread = await threadOver(script, [nothingUnique('cookie'), nothingUnique('cake')]);
  const work = new AbortController();
  const comparing = thread.compare({ keep: [] }, work.signal, () =>
    work.abort(new Error('The person left.')),
  );
  await expect(comparing).rejects.toThrow('The person left.');
  const view = await thread.compare({ keep: [] }, signal, () => undefined);
  expect(view.rows).toHaveLength(4_002);
});
