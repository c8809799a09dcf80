import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { build } from 'esbuild';
import { nodeBundle } from '../../scripts/nodeBundle.mjs';

/** Bundles `src/<source>` as the build does, for a test with a real worker; gives where the bundle is. */
export async function buildWorker(source: string): Promise<URL> {
  const name = source.replace(/^.*\//, '').replace(/\.worker\.ts$/, '');
  const { outputFiles } = await build({
    ...nodeBundle,
    splitting: false,
    entryPoints: [{ in: `src/${source}`, out: name }],
    outdir: 'out/workers',
    write: false,
  });
  for (const { path, contents } of outputFiles) await replace(path, contents);
  return new URL(`../../out/workers/${name}.js`, import.meta.url);
}

/** Writes a bundle in one step: the tests of another file may just be starting the same one. */
async function replace(path: string, contents: Uint8Array): Promise<void> {
  const before = await readFile(path).catch(() => undefined);
  if (before?.equals(contents)) return;
  const part = `${path}.${randomUUID()}`;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(part, contents);
  await rename(part, path);
}
