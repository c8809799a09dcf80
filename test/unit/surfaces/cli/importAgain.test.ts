import { appendFile, readdir, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { agentLogbook, messageLines, type Ran } from '../../../support/commandLine.js';
import { claudeSession, writeAt } from '../../../support/sessionHome.js';
import { temporaryFolder } from '../../../support/storeFixture.js';

/** The files that were opened to be read. */
const opened = vi.hoisted(() => [] as string[]);
vi.mock(import('../../../../src/import/importFile.js'), async (original) => {
  const whole = await original();
  return {
    ...whole,
    openImport: (path, options) => {
      opened.push(path.replace(/^.*[\\/]/, ''));
      return whole.openImport(path, options);
    },
  };
});
beforeEach(() => void opened.splice(0));

const ID = '11111111-1111-1111-1111-111111111111';
const SUBAGENT = `${ID}/subagents/agent-1.jsonl`;
const said = claudeSession('Bake a cake').replace(/"sessionId":"[^"]*"/g, `"sessionId":"${ID}"`);

/** A folder with two sessions that were imported, and what imports it again and tells which files were read for that. */
async function imported() {
  const [cwd, cache] = [await temporaryFolder(), await temporaryFolder()];
  const folder = join(cwd, 'kept');
  await writeAt(folder, { [`${ID}.jsonl`]: said, 'b.jsonl': `${messageLines(['user', 'Hello'])}{"a":1}\n` });
  const settle = async () => {
    // What was changed in these seconds may change again without another time.
    for (const each of [folder, join(folder, ID), join(folder, ID, 'subagents')])
      await utimes(each, 1_700_000_000, 1_700_000_000).catch(() => undefined);
  };
  const again = async (store = 'here') => {
    await settle();
    opened.splice(0);
    return await agentLogbook(['import', 'kept', '--json', '--store', store], { cwd, cache });
  };
  return { cwd, folder, again, first: await again() };
}
const outcomes = ({ json }: Ran) => json.map(({ outcome }) => outcome);

test('what is there already and unchanged is not read again, and told as before', async () => {
  const { again, first } = await imported();
  expect(outcomes(first)).toEqual(['new', 'new']);
  expect(first.err).not.toBe('');
  const ran = await again();
  expect(opened).toEqual([]);
  expect(ran.json.map(({ session, conversation, file }) => [session, conversation, file])).toEqual(
    first.json.map(({ session, conversation, file }) => [session, conversation, file]),
  );
  expect(outcomes(ran)).toEqual(['unchanged', 'unchanged']);
  expect([ran.err, ran.code]).toEqual([first.err, first.code]);
});

type Made = Awaited<ReturnType<typeof imported>>;
test.each<[string, (made: Made) => Promise<unknown>, string[], string[]]>([
  [
    'a file that has grown',
    ({ folder }) => appendFile(join(folder, 'b.jsonl'), messageLines(['user', 'Bye'])),
    ['b.jsonl'],
    ['unchanged', 'grown'],
  ],
  [
    'a subagent that has come to stand beside it',
    ({ folder }) => writeAt(folder, { [SUBAGENT]: claudeSession('Mix') }),
    [`${ID}.jsonl`],
    ['grown', 'unchanged'],
  ],
  [
    'a conversation that was deleted',
    ({ cwd, first }) =>
      rm(join(cwd, 'here/.agent-logbook/conversations', String(first.json[1]?.conversation)), {
        recursive: true,
      }),
    ['b.jsonl'],
    ['unchanged', 'new'],
  ],
  [
    'a journal that somebody changed',
    async ({ cwd, first }) => {
      const place = join(cwd, 'here/.agent-logbook/conversations', String(first.json[0]?.conversation));
      const [journal = ''] = (await readdir(place)).filter((name) => name === 'messages.jsonl');
      await appendFile(join(place, journal), '{"half":');
    },
    [`${ID}.jsonl`],
    ['unchanged', 'unchanged'],
  ],
])('%s is read again', async (_what, change, read, expected) => {
  const made = await imported();
  await change(made);
  const ran = await made.again();
  expect(opened).toEqual(read);
  expect(outcomes(ran)).toEqual(expected);
});

test('into another store all is read', async () => {
  const { again } = await imported();
  expect(outcomes(await again('there'))).toEqual(['new', 'new']);
  expect(opened).toEqual([`${ID}.jsonl`, 'b.jsonl']);
});

test('files that are stored together are told in their order, and each session once', async () => {
  const cwd = await temporaryFolder();
  const names = Array.from({ length: 60 }, (_, at) => `s${String(at).padStart(2, '0')}.jsonl`);
  await writeAt(
    join(cwd, 'kept'),
    Object.fromEntries(
      names.map((name, at) => [
        name,
        at % 20 === 7
          ? ''
          : at % 20 === 9
            ? 'no transcript\n'
            : messageLines(['user', `Hello ${at}`], ['assistant', 'long '.repeat(at * 50)]),
      ]),
    ),
  );
  const ran = await agentLogbook(['import', 'kept', '--json'], { cwd });
  const order = ran.json.map(({ file }) => String(file).replace(/^.*[\\/]/, ''));
  expect(order).toEqual(names.filter((name) => order.includes(name)));
  expect(new Set(order).size).toBe(order.length);
  expect(order.length).toBeGreaterThanOrEqual(54);
  expect(new Set(outcomes(ran))).toEqual(new Set(['new']));
});
