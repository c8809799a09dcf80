import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { build, type OutputChunk } from 'rolldown';
import { bundleOptions } from '../../scripts/bundles.mjs';

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

/** All bundles of the programs, made as the build makes them. */
export interface BuiltBundles {
  /** Where they lie. */
  readonly folder: string;
  readonly files: ReadonlyMap<string, Bundle>;
  /** The names of what is loaded with a bundle at once, itself included. */
  loadedWith(name: string): string[];
  /** The modules in all those. */
  modulesLoadedWith(name: string): string[];
  remove(): Promise<void>;
}

/** Makes the bundles of the programs in a folder of their own. */
export async function builtBundles(): Promise<BuiltBundles> {
  const folder = await mkdtemp(join(tmpdir(), 'bundles-'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  const { output } = await build(bundleOptions({ outdir: folder, production: true }));
  const chunks = output.filter((file): file is OutputChunk => file.type === 'chunk');
  const names = new Set(chunks.map(({ fileName }) => fileName));
  const files = new Map(chunks.map((chunk) => [chunk.fileName, bundleOf(chunk, names)]));
  const loadedWith = (name: string) => {
    const loaded = new Set([name]);
    for (const next of loaded)
      for (const other of files.get(next)?.imports ?? []) if (files.has(other)) loaded.add(other);
    return [...loaded];
  };
  return {
    folder,
    files,
    loadedWith,
    modulesLoadedWith: (name) => loadedWith(name).flatMap((file) => files.get(file)?.modules ?? []),
    remove: () => rm(folder, { recursive: true }),
  };
}

function bundleOf({ moduleIds, imports, dynamicImports }: OutputChunk, names: ReadonlySet<string>): Bundle {
  return {
    modules: moduleIds.map((id) => relative(root, id).replaceAll('\\', '/')),
    imports,
    later: dynamicImports.filter((name) => names.has(name)),
  };
}

/** The names of the packages among modules. */
export function packagesOf(modules: readonly string[]): string[] {
  const names = modules.map((module) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(module)?.[1]);
  return [...new Set(names)].filter((name) => name !== undefined).sort();
}
