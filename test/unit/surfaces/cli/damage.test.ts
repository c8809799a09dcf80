import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pathsOf } from '../../../../src/store/files/storePaths.js';
import { agentLogbook, workspaceWith } from '../../../support/commandLine.js';
import { StoryTeller } from '../../../support/storyTeller.js';

/** A workspace whose conversation has lines that cannot be read, before the record of each text in `before` and at its end. */
async function damagedWorkspace(before: readonly string[], end = ''): Promise<string> {
  const story = new StoryTeller('20261121-a');
  const cook = story.run('Cook', 'Bake a cake.');
  for (const text of ['Weighing.', 'Mixing.', 'Baking.']) cook.say(text);
  return harmed(await workspaceWith(story), before, end);
}

async function harmed(cwd: string, before: readonly string[], end: string): Promise<string> {
  const path = pathsOf(join(cwd, '.agent-logbook'), '20261121-a').segment(0);
  const lines = (await readFile(path, 'utf8')).split('\n');
  const written = lines.flatMap((line) =>
    before.some((text) => line.includes(text)) ? ['{"seq":2,"id', line] : [line],
  );
  await writeFile(path, written.join('\n') + end);
  return cwd;
}

/** What a person sees of messages and of what cannot be read, in order. */
const seen = (out: string) => out.match(/Weighing|Mixing|Baking|Damaged/g);

test('show tells what cannot be read in its place, for people and for programs', async () => {
  const cwd = await damagedWorkspace(['Mixing', 'Baking'], '<<<<<<< HEAD\n');
  const shown = await agentLogbook(['show'], { cwd });
  expect(shown.code).toBe(1);
  expect(seen(shown.out)).toEqual(['Weighing', 'Damaged', 'Mixing', 'Damaged', 'Baking', 'Damaged']);
  expect(shown.out).toMatch(/– Damaged · messages\.jsonl, line \d+ · not written whole/);
  const { json } = await agentLogbook(['show', '--json'], { cwd });
  const kinds = json.map(({ kind, position }) => [kind, position]);
  const records = kinds.filter(([kind]) => kind === 'record');
  expect(records.map(([, position]) => position)).toEqual(records.map((_, at) => at));
  const damages = json.filter(({ kind }) => kind === 'damage');
  expect(damages).toHaveLength(3);
  for (const [at, line] of json.entries())
    if (line.kind === 'damage') {
      expect(line).toMatchObject({ v: 1, session: '20261121-a', file: 'messages.jsonl' });
      const before = json.slice(0, at).filter(({ kind }) => kind === 'record').length;
      expect(line.position).toBe(before);
    }
});

test('of a part that is shown, what cannot be read in the rest is only counted', async () => {
  const cwd = await damagedWorkspace(['Weighing', 'Mixing', 'Baking']);
  const shown = await agentLogbook(['show', '--last', '1'], { cwd });
  expect(seen(shown.out)).toEqual(['Damaged', 'Baking']);
  expect(shown.err).toContain('3 places of 20261121-a cannot be read.');
  expect(seen((await agentLogbook(['show', '--first', '2'], { cwd })).out)).toEqual([
    'Damaged',
    'Weighing',
    'Damaged',
  ]);
});

test('timeline tells what cannot be read behind the turn that it stands in', async () => {
  const story = new StoryTeller('20261121-a');
  story.run('Cook', 'Bake a cake.').say('Mixing.');
  story.run('Cook', 'Eat it.').say('Weighing.');
  const cwd = await harmed(await workspaceWith(story), ['Mixing'], '<<<<<<< HEAD\n');
  const { out, code } = await agentLogbook(['timeline'], { cwd });
  expect(out.match(/Bake|Eat|Damaged/g)).toEqual(['Bake', 'Damaged', 'Eat', 'Damaged']);
  expect(code).toBe(1);
  const { json } = await agentLogbook(['timeline', '--json'], { cwd });
  expect(json.map(({ kind }) => kind)).toEqual(['turn', 'damage', 'turn', 'damage']);
  const [first, inFirst, second] = json;
  expect(inFirst).toMatchObject({ session: '20261121-a', file: 'messages.jsonl' });
  expect(Number(inFirst?.position)).toBeGreaterThan(Number(first?.position));
  expect(Number(inFirst?.position)).toBeLessThan(Number(second?.position));
});

test('an export tells what cannot be read in its place', async () => {
  const cwd = await damagedWorkspace(['Mixing'], '<<<<<<< HEAD\n');
  for (const format of ['markdown', 'html']) {
    const { out } = await agentLogbook(['export', '--format', format], { cwd });
    expect(seen(out)?.filter((word, at, all) => word !== all[at - 1])).toEqual([
      'Weighing',
      'Damaged',
      'Mixing',
      'Baking',
      'Damaged',
    ]);
  }
  const { out } = await agentLogbook(['export', '--format', 'json'], { cwd });
  const elements = JSON.parse(out) as readonly { record?: { type?: string; why?: string } }[];
  expect(elements.filter(({ record }) => record?.type === 'unreadable')).toHaveLength(2);
});
