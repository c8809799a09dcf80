import { existsSync, renameSync, rmSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../support/fixedInputs.js';
import { toolWorkspace } from './toolHarness.js';

/** How many races are run, and how many of them at the same time, so that they disturb each other. */
const RACES = runs(1_000);
const AT_ONCE = 25;

/**
 * How a person's editor saves: into the file itself, by a new file that takes its name; or the file goes. Names change
 * between two looks of the agent's tool or after them: within its last microseconds no file system would tell it.
 */
const userEdits = {
  inPlace: (path: string, text: string) => writeFile(path, text),
  replacing: async (path: string, text: string) => {
    await writeFile(`${path}.swap`, text);
    renameSync(`${path}.swap`, path);
  },
  removing: (path: string) => rmSync(path, { force: true }),
};

const anEdit = fc.record({
  how: fc.constantFrom('inPlace' as const, 'replacing' as const, 'inPlace' as const, 'removing' as const),
  /** How many turns of the event loop pass before it. */
  after: fc.nat({ max: 80 }),
});

const aRace = fc.record({
  tool: fc.constantFrom('edit_file', 'write_file'),
  /** A race for a file that is not there yet is one about who creates it. */
  exists: fc.integer({ min: 0, max: 4 }).map((side) => side > 0),
  readsFirst: fc.boolean(),
  edits: fc.array(anEdit, { minLength: 1, maxLength: 3 }),
  answeredAfter: fc.nat({ max: 20 }),
});

type Race = typeof aRace extends fc.Arbitrary<infer Value> ? Value : never;
type Workspace = Awaited<ReturnType<typeof toolWorkspace>>;

const turns = async (count: number) => {
  for (let done = 0; done < count; done++) await turn();
};

const textOf = (user: string, agent: string) => `user=${user}\nagent=${agent}\n`;

/** One file, edited by both; gives what stands in the user's line in the end, and what the user has said last. */
async function run({ call, root, put }: Workspace, race: Race, index: number) {
  const name = `f${index}.txt`;
  const path = join(root, name);
  if (race.exists) await put(name, textOf('first', 'none'));
  let said: string | undefined = race.exists ? 'first' : undefined;

  const agent = async () => {
    const seen = race.readsFirst ? await call('read_file', { path: name }) : undefined;
    const user = /^user=(.*)$/m.exec(seen?.content ?? '')?.[1];
    const args =
      race.tool === 'edit_file'
        ? { path: name, old_text: 'agent=none', new_text: 'agent=mine' }
        : { path: name, content: textOf(user ?? 'of the agent', 'mine') };
    const decide = async () => {
      await turns(race.answeredAfter);
      return { approved: true, decidedBy: 'user' } as const;
    };
    return call(race.tool, args, { decide });
  };
  const user = async () => {
    for (const [number, { how, after }] of race.edits.entries()) {
      await turns(after);
      const text = `${index}.${number}`;
      await userEdits[how](path, textOf(text, 'none'));
      said = how === 'removing' ? undefined : text;
    }
  };
  const [{ isError = false }] = await Promise.all([agent(), user()]);
  const now = existsSync(path) ? await readFile(path, 'utf8') : undefined;
  const found = now === undefined ? undefined : (/^user=(.*)$/m.exec(now)?.[1] ?? now);
  return { race, isError, found, said, agentWon: now?.includes('agent=mine') === true };
}

test('in hundreds of races with an agent no edit of a person is lost', async () => {
  const workspace = await toolWorkspace();
  const races = fc.sample(aRace, { numRuns: RACES });
  const outcomes = { refused: 0, written: 0 };
  const lost: unknown[] = [];
  for (let from = 0; from < RACES; from += AT_ONCE) {
    const some = races.slice(from, from + AT_ONCE).map((race, index) => run(workspace, race, from + index));
    for (const outcome of await Promise.all(some)) {
      const { isError, found, said, agentWon } = outcome;
      outcomes[isError ? 'refused' : 'written']++;
      // Where the user has removed a file, the agent may have made it anew and been told that it is new.
      const isNew = said === undefined && found === 'of the agent' && agentWon && !isError;
      if (found !== said && !isNew) lost.push(outcome);
    }
  }

  expect(lost).toEqual([]);
  expect(outcomes.refused).toBeGreaterThan(RACES / 50);
  expect(outcomes.written).toBeGreaterThan(RACES / 50);
  const left = (await readdir(workspace.root)).filter((name) => name.startsWith('.agent-logbook'));
  expect(left).toEqual([]);
});
