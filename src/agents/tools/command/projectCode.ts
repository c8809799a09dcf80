import { isSystemFolder } from '../process/environment.js';
import { programOf } from './policy/program.js';
import type { Words } from './policy/program.js';
import { programs } from './policy/programs.js';
import { scriptIn } from './risk.js';
import { readShellTree } from '../../../core/shell/shellTree.js';

const MAX_DEPTH = 4;

/** Whether a command line starts a program that runs code of the project: scripts, tests, builds, or a file by its name. */
export function runsProjectCode(line: string, depth = 0): boolean {
  if (depth > MAX_DEPTH) return true;
  return readShellTree(line).commands.some(({ words }) => {
    const values = words.map(({ value }) => value);
    const script = scriptIn(values);
    if (script !== undefined) return runsProjectCode(script, depth + 1);
    const wraps = programs.get(programOf(values[0]) ?? '')?.wraps === 'all';
    return [...values.keys()].some((at) => (at === 0 || wraps) && startsProject(values.slice(at), at === 0));
  });
}

/**
 * Whether the first of some words is such a program. Behind a program that starts others it may be one too, by its name
 * alone.
 */
function startsProject([first, ...words]: Words, isFirst: boolean): boolean {
  if (first === undefined) return isFirst;
  const slash = first.lastIndexOf('/');
  if (isFirst && slash >= 0 && !isSystemFolder(first.slice(0, slash))) return true;
  const name = (programOf(first) ?? '').toLowerCase();
  const row =
    programs.get(programOf(first) ?? '') ?? programs.get(name) ?? programs.get(name.replace(/[\d.]+$/, ''));
  const runs = row?.runsProject;
  if (runs === undefined) return false;
  if (words.length === 0) return !row?.shell && row?.code === undefined && name !== '.';
  if (words.length === 1 && /^(-v|-V|--version|-version|-h|--help)$/.test(words[0] ?? '')) return false;
  const subcommand = words.find((word) => word?.startsWith('-') === false);
  return runs === 'always' || subcommand === undefined || !runs.test(subcommand);
}
