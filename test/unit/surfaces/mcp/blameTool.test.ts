import { rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { silentLog } from '../../../../src/core/ports/log.js';
import { blameTool } from '../../../../src/surfaces/mcp/blameTool.js';
import { checkArguments } from '../../../../src/surfaces/mcp/checkArguments.js';
import { McpLibrary } from '../../../../src/surfaces/mcp/library.js';
import { temporaryFolder } from '../../../support/storeFixture.js';
import { writtenFile } from '../../../support/writtenFile.js';

function libraryOf(cwd: string, cache: string): McpLibrary {
  const stdin = () => {
    throw new Error('Nothing is read from here.');
  };
  const { signal } = new AbortController();
  const options = { cwd, signal, stdin, log: silentLog, cache: { folder: cache, program: 'of this test' } };
  const library = new McpLibrary(options, ['s1.jsonl'], () => Date.parse('2027-01-01'));
  onTestFinished(() => library.close());
  return library;
}

const ask = (library: McpLibrary, args: object) => blameTool.run(library, checkArguments(blameTool, args));

test('a model is told which session wrote which lines, and never what stands in the file', async () => {
  const library = libraryOf(await writtenFile(), await temporaryFolder());
  const told = await ask(library, { file: 'a.ts' });
  expect(told).toMatchObject({
    file: 'a.ts',
    lines: 3,
    proved: 1,
    written: [
      {
        first_line: 2,
        last_line: 2,
        session: 's1',
        call: 't1',
        position: 1,
        prompt: 0,
        asked: 'Add a second line',
      },
    ],
  });
  expect(JSON.stringify(told)).not.toContain('three');
  expect(await ask(library, { file: 'a.ts', first_line: 3 })).toMatchObject({ proved: 0, written: [] });
});

test('sessions are read once by all programs that keep what they have read', async () => {
  const [cwd, cache] = [await writtenFile(), await temporaryFolder()];
  const first = libraryOf(cwd, cache);
  const told = await ask(first, { file: 'a.ts' });
  const second = libraryOf(cwd, cache);
  expect(await ask(second, { file: 'a.ts' })).toEqual(told);
  expect([first.reads, second.reads]).toEqual([1, 0]);
});

test('only files of its folder are told of, wherever links lead', async () => {
  const cwd = await writtenFile();
  const outside = await temporaryFolder();
  await writeFile(join(outside, 'secret.ts'), 'one\n');
  await symlink(join(outside, 'secret.ts'), join(cwd, 'link.ts'));
  const library = libraryOf(cwd, await temporaryFolder());
  for (const file of ['link.ts', join(outside, 'secret.ts'), '../secret.ts', '/etc/passwd', 'gone.ts', '.'])
    await expect(ask(library, { file })).rejects.toThrow('There is no file');
  await expect(ask(library, { file: 'a.ts', first_line: 9 })).rejects.toThrow('has 3 lines');
  await rm(join(cwd, 'a.ts'));
  await expect(ask(library, { file: 'a.ts' })).rejects.toThrow('There is no file');
});
