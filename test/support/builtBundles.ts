import type { Bundle, MadeBundles } from './sharedBuilds.js';
import { sharedPart } from './sharedPart.js';

/** All bundles of the programs, made as the build makes them. */
export interface BuiltBundles {
  /** Where they lie. */
  readonly folder: string;
  readonly files: ReadonlyMap<string, Bundle>;
  /** The names of what is loaded with a bundle at once, itself included. */
  loadedWith(name: string): string[];
  /** The modules in all those. */
  modulesLoadedWith(name: string): string[];
}

/** The bundles of the programs, made once for all tests. */
export async function builtBundles(): Promise<BuiltBundles> {
  const made = await sharedPart<MadeBundles>('bundles');
  const files = new Map(made.files);
  const loadedWith = (name: string) => {
    const loaded = new Set([name]);
    for (const next of loaded)
      for (const other of files.get(next)?.imports ?? []) if (files.has(other)) loaded.add(other);
    return [...loaded];
  };
  return {
    folder: made.folder,
    files,
    loadedWith,
    modulesLoadedWith: (name) => loadedWith(name).flatMap((file) => files.get(file)?.modules ?? []),
  };
}

/** The names of the packages among modules. */
export function packagesOf(modules: readonly string[]): string[] {
  const names = modules.map((module) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(module)?.[1]);
  return [...new Set(names)].filter((name) => name !== undefined).sort();
}
