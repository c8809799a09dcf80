import { build } from 'esbuild';
import { nodeBundle } from '../../scripts/nodeBundle.mjs';

/** Bundles `src/<source>` as the build does, for a test with a real worker; gives where the bundle is. */
export async function buildWorker(source: string): Promise<URL> {
  const name = source.replace(/^.*\//, '').replace(/\.worker\.ts$/, '');
  await build({
    ...nodeBundle,
    splitting: false,
    entryPoints: [{ in: `src/${source}`, out: name }],
    outdir: 'out/workers',
  });
  return new URL(`../../out/workers/${name}.js`, import.meta.url);
}
