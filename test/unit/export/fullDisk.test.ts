import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { describe, expect, onTestFinished, test } from 'vitest';
import { nodeBundle } from '../../../scripts/nodeBundle.mjs';

/** Exports 300 KB to the file that it is told, and prints what comes of it. */
const SCRIPT = `
  import { exportToFile } from './src/export/files/exportFile.ts';
  const messages = Array.from({ length: 300 }, () => ({ role: 'user', content: 'x'.repeat(1000) }));
  await exportToFile(messages, 'json', process.argv[2]).then(
    ({ bytes }) => console.log('written ' + bytes),
    ({ code }) => console.log('failed ' + code),
  );
`;

/** Runs the script in a shell in which no file can become larger than so many blocks of 512 bytes. */
async function exportWithLimit(blocks: number | 'unlimited') {
  const folder = await mkdtemp(join(tmpdir(), 'export-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const target = join(folder, 'target');
  const script = join(folder, 'export.mjs');
  await mkdir(target);
  const stdin = { contents: SCRIPT, resolveDir: nodeBundle.absWorkingDir, loader: 'ts' } as const;
  await build({ ...nodeBundle, splitting: false, stdin, outfile: script });
  const command = `trap '' XFSZ; ulimit -f ${blocks}; exec "$0" "$1" "$2"`;
  const args = ['-c', command, process.execPath, script, join(target, 'a.json')];
  const { stdout } = await promisify(execFile)('sh', args);
  return { printed: stdout.trim(), files: await readdir(target) };
}

describe.skipIf(process.platform === 'win32')('a disk that takes only a part of the last write', () => {
  test('fails the export, and nothing of it is left', async () => {
    const whole = await exportWithLimit('unlimited');
    expect(whole.files).toEqual(['a.json']);
    const bytes = Number(/^written (\d+)$/.exec(whole.printed)?.[1]);
    const cut = await exportWithLimit(Math.floor((bytes - 100) / 512));
    expect(cut).toEqual({ printed: 'failed EFBIG', files: [] });
  });
});
