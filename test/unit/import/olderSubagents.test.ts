import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { sidecarPaths, wholeOf } from '../../../src/import/importFile.js';
import * as plainFile from '../../../src/node/plainFile.js';
import { temporaryFolder } from '../../support/storeFixture.js';

vi.mock('../../../src/node/plainFile.js', { spy: true });

test('of many sessions and subagents in a folder, none is read for each of the others', async () => {
  const folder = await temporaryFolder();
  const COUNT = 60;
  for (let at = 0; at < COUNT; at++) {
    await writeFile(join(folder, `s${at}.jsonl`), '{"type":"summary","summary":"Bread"}\n');
    await writeFile(join(folder, `agent-${at}.jsonl`), `{"sessionId":"gone${at}","isSidechain":true}\n`);
    await writeFile(join(folder, `agent-none${at}.jsonl`), '{"isSidechain":true}\n');
  }
  vi.mocked(plainFile.beginningOf).mockClear();
  for (let at = 0; at < COUNT; at++) {
    expect(await wholeOf(join(folder, `agent-${at}.jsonl`))).toBe(join(folder, `agent-${at}.jsonl`));
    await sidecarPaths(join(folder, `s${at}.jsonl`));
  }
  expect(vi.mocked(plainFile.beginningOf).mock.calls.length).toBeLessThan(10 * COUNT);
});

test('a file of a subagent that did not say yet of which session it is, is that of it once it says so', async () => {
  const folder = await temporaryFolder();
  const [session, agent] = [join(folder, 's1.jsonl'), join(folder, 'agent-a.jsonl')];
  await writeFile(session, '{"sessionId":"s1"}\n');
  await writeFile(agent, '');
  expect((await sidecarPaths(session)).paths).toEqual([]);
  await writeFile(agent, '{"sessionId":"s1","isSidechain":true}\n');
  expect((await sidecarPaths(session)).paths).toEqual([agent]);
  expect(await wholeOf(agent)).toBe(session);
  const renamed = join(folder, 'bread.jsonl');
  await rename(session, renamed);
  expect(await wholeOf(agent)).toBe(renamed);
  await rm(renamed);
  await mkdir(session);
  expect(await wholeOf(agent)).toBe(agent);
});
