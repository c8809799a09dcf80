import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { importFile } from '../../../src/import/importFile.js';
import { codexFamily, type MadeRollout } from '../../support/codexFamily.js';
import { randomNumbers } from '../../support/randomNumbers.js';
import { storedZstd } from '../../support/storedZstd.js';
import { temporaryFolder } from '../../support/storeFixture.js';
import { query, records } from './reading.js';

/** What a thread says and used, read from the lines of all rollouts by the rules of docs/formats.md, one after the other. */
function read(all: readonly MadeRollout[], thread: string) {
  type Line = { ordinal: number; timestamp: string; type: string; payload: Record<string, never> };
  const files = all.map(({ path, lines }) => ({
    rollout: /([0-9a-f-]{36})\.jsonl$/.exec(path)?.[1],
    lines: lines as unknown as Line[],
    meta: lines[0]?.payload as {
      id: string;
      parent_thread_id?: string;
      history_base: null | { thread_id: string; end_ordinal_exclusive: number };
    },
  }));
  const textsIn = (lines: readonly Line[]) =>
    lines.flatMap(({ type, payload }) =>
      type === 'response_item'
        ? [(payload as unknown as { content: { text: string }[] }).content[0]?.text ?? '']
        : [],
    );
  const before = (base: (typeof files)[number]['meta']['history_base']): Line[] => {
    const file = base && files.find(({ rollout }) => rollout === base.thread_id);
    if (!file) return [];
    const earlier = before(file.meta.history_base);
    return [...earlier, ...file.lines].filter(({ ordinal }) => ordinal < base.end_ordinal_exclusive);
  };
  const own = files
    .filter(({ meta }) => meta.id === thread)
    .sort((a, b) => ((a.lines[0]?.timestamp ?? '') < (b.lines[0]?.timestamp ?? '') ? -1 : 1));
  const inherited = textsIn(before(own[0]?.meta.history_base ?? null));
  const said = own.flatMap(({ lines }) => textsIn(lines));
  const children = files.filter(
    ({ meta, rollout }) => meta.parent_thread_id === thread && rollout === meta.id,
  );
  const inChildren: { said: string[]; used: number }[] = children.map(({ meta }) => read(all, meta.id));
  const used = said.reduce(
    (sum, text) => sum + (text.startsWith('Answer') ? 100 + Number(text.slice(7)) : 0),
    0,
  );
  return {
    inherited,
    said: [...said, ...inChildren.flatMap((child) => child.said)],
    used: used + inChildren.reduce((sum, child) => sum + child.used, 0),
  };
}

async function written(family: readonly MadeRollout[], seed: number) {
  const folder = join(await temporaryFolder(), 'sessions');
  const random = randomNumbers(seed);
  const inAnyOrder = family.map((file) => ({ file, at: random() })).sort((a, b) => a.at - b.at);
  const paths: { path: string; thread: string }[] = [];
  for (const { file } of inAnyOrder) {
    const text = file.lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    const isPacked = random() < 0.5;
    const path = join(folder, `${file.path}${isPacked ? '.zst' : ''}`);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, isPacked ? storedZstd(text) : text);
    paths.push({ path, thread: (file.lines[0]?.payload as { id: string }).id });
  }
  return paths;
}

const told = async (path: string, heldBytes?: number) => {
  const result = await importFile(path, heldBytes === undefined ? {} : { heldBytes });
  const messages = records(result).filter(({ type }) => type === 'message') as unknown as {
    inherited?: boolean;
    message: { content: string };
  }[];
  const texts = (isInherited: boolean) =>
    messages
      .filter(({ inherited = false }) => inherited === isInherited)
      .map(({ message }) => message.content);
  return {
    id: result.conversations.map(({ id }) => id),
    problems: result.problems,
    inherited: texts(true),
    said: texts(false).sort(),
    used: query(result).stats().usage?.inputTokens ?? 0,
  };
};

describe('a thread of Codex in several files', () => {
  test.each(Array.from({ length: 100 }, (_, seed) => seed))(
    'is what a plain reading of family %i gives, whichever of its files is opened',
    async (seed) => {
      const family = codexFamily(seed);
      const files = await written(family, seed);
      for (const { path, thread } of files.slice(0, 3)) {
        const { inherited, said, used } = read(family, thread);
        const expected = { id: [thread], problems: [], inherited, said: said.sort(), used };
        expect(await told(path)).toEqual(expected);
        if (seed % 10 === 0) expect(await told(path, 0)).toEqual(expected);
      }
    },
  );
});
