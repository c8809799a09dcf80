import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build as bundle } from 'esbuild';
import { build as bundleTogether, type OutputChunk } from 'rolldown';
import { bundleOptions } from '../../scripts/bundles.mjs';
import { cliBundle } from '../../scripts/cliBundle.mjs';
import { nodeBundle } from '../../scripts/nodeBundle.mjs';

const root = join(import.meta.dirname, '../..');

/** A file of `dist/`. */
export interface Bundle {
  /** The modules in it, as paths like `src/core/text.ts`. */
  readonly modules: readonly string[];
  /** What it imports statically: other bundles by their names, and what is not bundled. */
  readonly imports: readonly string[];
  /** The bundles that it may load later. */
  readonly later: readonly string[];
}

/** The bundles of the programs, and where they lie. */
export interface MadeBundles {
  readonly folder: string;
  readonly files: readonly (readonly [name: string, bundle: Bundle])[];
}

/** Bundles `src/<source>` as the build does; gives the URL of the bundle. */
export async function buildWorker(source: string): Promise<string> {
  const name = source.replace(/^.*\//, '').replace(/\.worker\.ts$/, '');
  const entryPoints = [{ in: `src/${source}`, out: name }];
  await bundle({ ...nodeBundle, splitting: false, entryPoints, outdir: 'out/workers' });
  return pathToFileURL(join(root, `out/workers/${name}.js`)).href;
}

/** Makes the command line as it is shipped, in a folder; gives the path of its one file. */
export async function buildCommandLine(folder: string): Promise<string> {
  const outfile = join(folder, 'cli.cjs');
  await bundleTogether(cliBundle({ outfile, production: true }));
  return outfile;
}

/** Makes the bundles of the programs as they are shipped, in a folder. */
export async function buildBundles(folder: string): Promise<MadeBundles> {
  await mkdir(folder);
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  const { output } = await bundleTogether(bundleOptions({ outdir: folder, production: true }));
  const chunks = output.filter((file): file is OutputChunk => file.type === 'chunk');
  const names = new Set(chunks.map(({ fileName }) => fileName));
  return { folder, files: chunks.map((chunk) => [chunk.fileName, bundleOf(chunk, names)]) };
}

function bundleOf({ moduleIds, imports, dynamicImports }: OutputChunk, names: ReadonlySet<string>): Bundle {
  return {
    modules: moduleIds.map((id) => relative(root, id).replaceAll('\\', '/')),
    imports,
    later: dynamicImports.filter((name) => names.has(name)),
  };
}
