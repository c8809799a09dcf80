import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The sizes of an entry of `dist/`, in bytes. */
export interface BundleSize {
  /** What is loaded with it at once: itself and all that it imports statically. */
  readonly atOnce: number;
  /** How many files that are. */
  readonly files: number;
  /** What may come later, by `import()`. */
  readonly later: number;
}

/** What an entry brings along, as the minified files say; undefined where it is not built. */
export function bundleSize(entry: string): BundleSize | undefined {
  if (!existsSync(join('dist', entry))) return undefined;
  const atOnce = reachable([entry], staticImports);
  const all = reachable([...atOnce], (file) => [...staticImports(file), ...laterImports(file)]);
  const bytes = (files: Iterable<string>) =>
    [...files].reduce((sum, file) => sum + statSync(join('dist', file)).size, 0);
  return { atOnce: bytes(atOnce), files: atOnce.size, later: bytes(all) - bytes(atOnce) };
}

/** All files of a folder of `dist/`, in bytes. */
export function folderSize(folder: string, ending: string): number {
  const files = existsSync(join('dist', folder)) ? readdirSync(join('dist', folder)) : [];
  return files
    .filter((file) => file.endsWith(ending))
    .reduce((sum, file) => sum + statSync(join('dist', folder, file)).size, 0);
}

function reachable(from: readonly string[], importsOf: (file: string) => readonly string[]): Set<string> {
  const found = new Set(from);
  for (const file of found) for (const next of importsOf(file)) found.add(next);
  return found;
}

function staticImports(file: string): string[] {
  return matches(file, /(?:from|import)\s*"\.\/([^"]+)"/g);
}

function laterImports(file: string): string[] {
  return matches(file, /import\(\s*"\.\/([^"]+)"\s*\)/g);
}

function matches(file: string, pattern: RegExp): string[] {
  return [...readFileSync(join('dist', file), 'utf8').matchAll(pattern)].map((match) =>
    join(dirname(file), match[1]!),
  );
}
