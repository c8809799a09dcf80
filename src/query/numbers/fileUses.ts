import { argumentsOf } from './toolCalls.js';
import { pathsIn } from './namedPaths.js';

/** What a tool call does with a file that it names; `named`: its tool's name does not say. */
export type FileUseKind = (typeof FILE_USES)[number];

/** The kinds of use; their places here are stored as numbers. */
export const FILE_USES = ['read', 'written', 'named'] as const;

/** A file that a tool call names; the path as the call writes it, and as untrusted. */
export interface FileUse {
  readonly path: string;
  readonly use: FileUseKind;
}

/** No files. */
export const NO_FILES: readonly FileUse[] = [];

/** No system takes a longer path, in UTF-16 code units: what is longer is no name of a file. */
export const MAX_PATH = 4_096;

/** The words in the names of tools that change files, and of those that only look at them. */
const WRITES = new Set([
  'write',
  'edit',
  'multiedit',
  'create',
  'update',
  'patch',
  'replace',
  'insert',
  'append',
  'save',
  'delete',
  'remove',
  'move',
  'rename',
  'overwrite',
  'modify',
  'undo',
]);
const READS = new Set([
  'read',
  'view',
  'open',
  'cat',
  'get',
  'list',
  'ls',
  'search',
  'grep',
  'glob',
  'find',
  'show',
  'load',
  'head',
  'tail',
  'stat',
  'inspect',
  'tree',
  'fetch',
]);

/** The words of a name: `readFile`, `read_file` and `READ FILE` have the same two. */
const WORDS = /[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g;

/** How many names of tools are remembered; a hostile transcript may have any number. */
const MAX_REMEMBERED = 1_000;
const remembered = new Map<string, FileUseKind>();

/**
 * The files that a call of a tool with these arguments names (`namedPaths`), each once, and what the call does with them:
 * a patch writes the files that it changes. For all others the words of the tool's name decide, and before them its argument
 * `command` where that is one such word, as editors with several commands have it; a word that changes files wins. What the
 * name says is taken for true: whether the call came to do it is not looked at.
 */
export function fileUsesOf(
  tool: string,
  input: unknown,
  args: Readonly<Record<string, unknown>> = argumentsOf(input),
): readonly FileUse[] {
  const { named, patched } = pathsIn(input, args);
  if (named.length === 0) return NO_FILES;
  const { command } = args;
  const use = usedBy(tool, typeof command === 'string' && /^\w{1,40}$/.test(command) ? command : undefined);
  const written = new Set(patched);
  return named
    .filter(({ length }) => length <= MAX_PATH)
    .map((path) => ({ path, use: written.has(path) ? 'written' : use }));
}

/** What a tool does with files, by the words of its name and, before them, of its command. */
export function usedBy(tool: string, command: string | undefined): FileUseKind {
  const said = command === undefined ? 'named' : saidBy(command);
  return said === 'named' ? saidBy(tool) : said;
}

function saidBy(name: string): FileUseKind {
  let use = remembered.get(name);
  if (use === undefined) {
    use = wordsSay(name);
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.set(name, use);
  }
  return use;
}

function wordsSay(name: string): FileUseKind {
  const words = (name.match(WORDS) ?? []).map((word) => word.toLowerCase());
  if (words.some((word) => WRITES.has(word))) return 'written';
  return words.some((word) => READS.has(word)) ? 'read' : 'named';
}
