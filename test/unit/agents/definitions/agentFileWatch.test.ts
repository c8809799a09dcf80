import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { AgentFileWatch } from '../../../../src/agents/definitions/agentFileWatch.js';
import { findAgentFiles } from '../../../../src/agents/definitions/findAgentFiles.js';
import { soon } from '../../../support/soon.js';
import { temporaryFolder } from '../../../support/storeFixture.js';

/** Reads agents as a view does: whenever it hears that they changed. */
async function followed(...locations: string[]) {
  const top = await temporaryFolder();
  const workspace = join(top, 'ws');
  const home = join(top, 'home');
  await Promise.all([workspace, home].map((folder) => mkdir(folder)));
  let names: string[] = [];
  const read = async () => {
    watch.follow([workspace], home, locations);
    const files = await findAgentFiles([workspace], home, locations);
    names = files.flatMap(({ agent }) => (agent ? [`${agent.name}: ${agent.description}`] : []));
  };
  const watch = new AgentFileWatch(() => void read());
  onTestFinished(() => watch.dispose());
  await read();
  const put = async (path: string, description = 'Snaps') => {
    await mkdir(join(top, path, '..'), { recursive: true });
    await writeFile(join(top, path), `---\nname: Ginger\ndescription: ${description}\n---\nHello.\n`);
  };
  const shows = (...expected: string[]) => soon(() => expect(names).toEqual(expected));
  return { top, put, shows };
}

for (const folder of ['ws/.github/agents', 'ws/.claude/agents', 'home/.claude/agents', 'ws/more/agents'])
  test(`a file in ${folder} is heard of when it comes, changes and goes, with its folders too`, async () => {
    const { top, put, shows } = await followed('more/agents');
    const file = `${folder}/ginger.agent.md`;
    await put(file);
    await shows('Ginger: Snaps');
    await put(file, 'Crackles');
    await shows('Ginger: Crackles');
    await rm(join(top, file));
    await shows();
    await put(file, 'Is back');
    await shows('Ginger: Is back');
    await rm(join(top, folder), { recursive: true });
    await shows();
    await put(file, 'In a new folder');
    await shows('Ginger: In a new folder');
    await rm(join(top, folder, '..'), { recursive: true });
    await shows();
    await put(file, 'In new folders');
    await shows('Ginger: In new folders');
  });

test('a folder that is moved away is heard of, and one that is moved there', async () => {
  const { top, put, shows } = await followed();
  await put('ws/.claude/agents/ginger.md');
  await shows('Ginger: Snaps');
  await rename(join(top, 'ws/.claude/agents'), join(top, 'ws/.claude/kept'));
  await shows();
  await rename(join(top, 'ws/.claude/kept'), join(top, 'ws/.claude/agents'));
  await shows('Ginger: Snaps');
  await put('ws/.claude/agents/ginger.md', 'Crackles');
  await shows('Ginger: Crackles');
});
