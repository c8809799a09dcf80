import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made = new Map<string, string>();

/** The path of a program or shared object made of a C file of this folder, gone when we end. Throws where it cannot be made. */
export function compiled(source: string, ...flags: readonly string[]): string {
  const known = made.get(source);
  if (known !== undefined) return known;
  const folder = mkdtempSync(join(tmpdir(), 'logbook-c-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const target = join(folder, source.replace(/\.c$/, ''));
  execFileSync('cc', ['-O1', '-o', target, ...flags, join('test', 'faults', source)], { stdio: 'pipe' });
  made.set(source, target);
  return target;
}
