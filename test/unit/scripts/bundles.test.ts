import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'rolldown';
import { expect, onTestFinished, test } from 'vitest';
import { bundleOptions } from '../../../scripts/bundles.mjs';

/** Bundles one file with this text as the programs are bundled. */
async function bundled(text: string): Promise<unknown> {
  const folder = await mkdtemp(join(tmpdir(), 'bundles-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'a.js'), text);
  const options = bundleOptions({ outdir: join(folder, 'out') });
  return build({ ...options, cwd: folder, input: { a: join(folder, 'a.js') }, plugins: [] });
}

test('a package that is not there ends the build', async () => {
  await expect(bundled("import 'no-such-package-of-ours';")).rejects.toThrow('no-such-package-of-ours');
});

test('a part of Node, and one that is only looked for, do not', async () => {
  await expect(bundled("import 'node:fs'; import 'bufferutil';")).resolves.toBeDefined();
});
