import { execFileSync } from 'node:child_process';
import { realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from './storeFixture.js';

/** A folder with a file in which an agent wrote the second line, and the session that tells it. */
export async function writtenFile(): Promise<string> {
  const folder = await realpath(await temporaryFolder());
  const path = join(folder, 'a.ts');
  const base = { sessionId: 's1', cwd: folder, version: '2.1.0', timestamp: '2026-03-01T10:00:00.000Z' };
  const input = { file_path: path, old_string: 'one\n', new_string: 'one\ntwo\n' };
  const call = { type: 'tool_use', id: 't1', name: 'Edit', input };
  const patch = [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 2, lines: [' one', '+two'] }];
  const lines = [
    { type: 'user', uuid: 'u1', message: { role: 'user', content: 'Add a second line' } },
    { type: 'assistant', uuid: 'u2', message: { role: 'assistant', model: 'claude-x', content: [call] } },
    {
      type: 'user',
      uuid: 'u3',
      toolUseResult: { filePath: path, originalFile: 'one\n', structuredPatch: patch },
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'done' }] },
    },
  ];
  await writeFile(
    join(folder, 's1.jsonl'),
    lines.map((line) => JSON.stringify({ ...base, ...line })).join('\n'),
  );
  await writeFile(path, 'one\ntwo\nthree\n');
  return folder;
}

/** A repository in which the file of `writtenFile` is committed, and a way to run git there. */
export async function committedFile(): Promise<{ readonly cwd: string; git(...words: string[]): string }> {
  const cwd = await writtenFile();
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...words], {
      cwd,
      encoding: 'utf8',
    });
  git('init', '-q');
  git('add', 'a.ts');
  git('commit', '-q', '-m', 'two');
  return { cwd, git };
}
