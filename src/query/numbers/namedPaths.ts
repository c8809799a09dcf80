import { appendAll } from '../../core/lists.js';
import { argumentsOf } from './toolCalls.js';

/** The names that tools commonly give to arguments that name files. */
const PATH_KEYS = [
  'path',
  'file',
  'filePath',
  'file_path',
  'filename',
  'fileName',
  'paths',
  'files',
  'notebook_path',
  'target_file',
  'targetFile',
  'absolute_path',
  'relative_path',
  'uri',
];

/** The names that tools commonly give to a command line, or to the list of its words. */
export const COMMAND_KEYS = ['command', 'cmd', 'commands', 'script', 'command_line', 'commandLine', 'argv'];

const PATH_KEY_SET: ReadonlySet<string> = new Set(PATH_KEYS);

/** Whether an argument of this name commonly names a file. */
export function isPathKey(name: string): boolean {
  return PATH_KEY_SET.has(name);
}

/** Names of files that are looked at where no argument has a name of `isPathKey`. */
export const EXTRA_PATHS = [
  'AbsolutePath',
  'TargetFile',
  'DirectoryPath',
  'SearchDirectory',
  'SearchPath',
  'notebookPath',
  'dir_path',
  'directory',
  'folder',
  'dir',
  'relativeWorkspacePath',
  'relative_workspace_path',
  'target_directory',
];

/** The names that tools commonly give to what is looked for. */
export const PATTERNS = [
  'pattern',
  'query',
  'regex',
  'glob',
  'glob_pattern',
  'globPattern',
  'search_term',
  'searchTerm',
  'Query',
  'Pattern',
  'file_name',
  'file_pattern',
  'keyword',
];

/** The arguments that name these files, of each the first. */
export function pathKeys(
  args: Readonly<Record<string, unknown>>,
  paths: readonly string[],
): readonly string[] {
  const keys = Object.keys(args).filter((name) => isPathKey(name) || EXTRA_PATHS.includes(name));
  return paths.flatMap((path) => keys.find((name) => args[name] === path) ?? []);
}

/** What a patch begins with. */
export const PATCH_BEGIN = '*** Begin Patch';

/** The lines of a patch that name its files (`apply_patch`). */
const PATCHED = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm;

/** The files that arguments name, each once, and those among them that a patch changes. */
export interface PathsInArguments {
  readonly named: readonly string[];
  readonly patched: readonly string[];
}

/**
 * The files that the arguments of a tool call name, by the names of arguments or in a patch, in their order; as untrusted
 * as the arguments are. A call of a shell names none, whatever its command line does.
 */
export function namedPaths(input: unknown): readonly string[] {
  return pathsIn(input, argumentsOf(input)).named;
}

/** See `namedPaths`; `args`: the arguments, parsed. Asked of every tool call of a transcript. */
export function pathsIn(input: unknown, args: Readonly<Record<string, unknown>>): PathsInArguments {
  const named: string[] = [];
  for (const key of PATH_KEYS) {
    if (!Object.hasOwn(args, key)) continue;
    const value = args[key];
    if (Array.isArray(value)) appendAll(named, value.filter(isPath));
    else if (isPath(value)) named.push(value);
  }
  // Whatever stands in the arguments stands in their text: of most, a look at it is enough.
  const mayPatch = typeof input !== 'string' || isPatch(input);
  const patched = mayPatch ? patchedIn([input, ...Object.values(args).flat()].filter(isPatch)) : NONE;
  if (named.length + patched.length < 2) return { named: named.length === 0 ? patched : named, patched };
  return { named: [...new Set([...named, ...patched])], patched };
}

const NONE: readonly string[] = [];

/** The raw text of arguments that are JSON has its line breaks escaped, so a patch is found in it only where it is none. */
function patchedIn(patches: readonly string[]): string[] {
  return patches
    .flatMap((patch) => [...patch.matchAll(PATCHED)].map(([, path]) => path?.trim()))
    .filter(isPath);
}

function isPatch(value: unknown): value is string {
  return typeof value === 'string' && value.includes(PATCH_BEGIN);
}

function isPath(path: unknown): path is string {
  return typeof path === 'string' && path !== '' && !/\p{Cc}/u.test(path);
}

/** The longest value on a line, in code points. */
export const MAX_VALUE = 80;

/** Whether a text is a path that is longer than a value on a line. */
export function isLongPath(text: string): boolean {
  return text.length > MAX_VALUE && /^\S+[/\\][^\s/\\]+$/.test(text);
}

/** A path as a value on a line; of a long one the middle is left out: its end says most. */
export function shortPath(path: string): string {
  const characters = Array.from(path.replace(/^file:\/\//, ''));
  if (characters.length <= MAX_VALUE) return characters.join('');
  const start = Math.floor(MAX_VALUE / 4);
  return `${characters.slice(0, start).join('')}…${characters.slice(start + 1 - MAX_VALUE).join('')}`;
}
