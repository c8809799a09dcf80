import { isObject } from '../../core/message.js';
import { PATCH_BEGIN, pathsIn } from './namedPaths.js';

/** What an edit does to one file: texts that stood there, and what stands there now. */
export interface DeedEdit {
  /** As untrusted as the arguments; '' where they name none. */
  readonly path: string;
  readonly before: string;
  readonly after: string;
  /** Whether what stood there before is not told, as of a file that is written whole. */
  readonly isWritten?: boolean;
  /** What a patch does with the file besides: it makes it, removes it, or gives it another path. */
  readonly file?: 'added' | 'deleted' | { readonly movedTo: string };
}

/** The names of arguments that hold an old and a new text. */
const CHANGES = [
  ['old_string', 'new_string'],
  ['old_text', 'new_text'],
  ['old_str', 'new_str'],
  ['oldText', 'newText'],
  ['oldString', 'newString'],
  ['oldStr', 'newStr'],
  ['old_content', 'new_content'],
  ['TargetContent', 'ReplacementContent'],
  ['search', 'replace'],
] as const;
const EDIT_LISTS = ['edits', 'replacements', 'changes', 'ReplacementChunks'];
const PATCHES = ['patch', 'diff', 'input', 'patch_text', 'patchText'];
const INSERTS = ['insert_text', 'new_str', 'text', 'content'];
const CONTENTS = [
  'content',
  'contents',
  'file_text',
  'file_content',
  'fileContent',
  'new_source',
  'newSource',
  'CodeContent',
  'newCode',
  'code_edit',
  'new_content',
  'code',
  'text',
];
/** How many changes are looked at; a hostile call may have any number. */
const MAX_EDITS = 200;

/** A call that may change files. */
interface EditingCall {
  readonly args: Readonly<Record<string, unknown>>;
  /** The text of the arguments. */
  readonly raw: string;
  /** The file that it names; '' for none. */
  readonly path: string;
  /** Whether its tool is one that changes files. */
  readonly isWriter: boolean;
  /** Its command line. */
  readonly line: string;
}

/** What a call changes, and the names of the arguments that say so. */
interface Changes {
  readonly edits: readonly DeedEdit[];
  readonly told: readonly string[];
}

/**
 * The changes that a call tells whole: `path` is the file that it names, `isWriter` whether its tool is known to change files,
 * `line` its command line.
 */
export function changesIn({ args, raw, path, isWriter, line }: EditingCall): Changes | undefined {
  const patch = PATCHES.find((name) => typeof args[name] === 'string' && isPatch(args[name]));
  if (patch !== undefined) return { edits: editsOfPatch(String(args[patch]), path), told: [patch] };
  if (isPatch(raw) && !isObjectText(raw)) return { edits: editsOfPatch(raw, path), told: [] };
  const inCommand = /^\s*apply_patch\b[\s\S]*?(\*\*\* Begin Patch[\s\S]*)/.exec(line)?.[1];
  if (inCommand !== undefined) return { edits: editsOfPatch(inCommand, ''), told: ['command', 'cmd'] };
  const pair = CHANGES.find((names) => names.every((name) => typeof args[name] === 'string'));
  const isOwnPair = pair !== undefined && (pair[0] !== 'search' || isWriter || path !== '');
  if (isOwnPair) return { edits: [editOf(args, pair, path)], told: pair };
  const list = EDIT_LISTS.find((name) => Array.isArray(args[name]));
  if (list !== undefined) {
    const edits = (args[list] as unknown[]).slice(0, MAX_EDITS).map((each) => editIn(each, path));
    return edits.every((each) => each !== undefined) ? { edits, told: [list] } : undefined;
  }
  if (path === '' || !isWriter) return undefined;
  const content = (args.insert_line === undefined ? CONTENTS : INSERTS).find(
    (name) => typeof args[name] === 'string',
  );
  return content === undefined
    ? undefined
    : { edits: [{ path, before: '', after: String(args[content]), isWritten: true }], told: [content] };
}

function editIn(entry: unknown, path: string): DeedEdit | undefined {
  if (!isObject(entry)) return undefined;
  const pair = CHANGES.find((names) => names.every((name) => typeof entry[name] === 'string'));
  const [own = path] = pathsIn(entry, entry).named;
  return pair && editOf(entry, pair, own);
}

function editOf(
  values: Readonly<Record<string, unknown>>,
  [old, now]: (typeof CHANGES)[number],
  path: string,
): DeedEdit {
  return { path, before: String(values[old]), after: String(values[now]) };
}

function isPatch(text: unknown): text is string {
  return (
    typeof text === 'string' &&
    (text.includes(PATCH_BEGIN) || /^(?:diff --git |--- |[-<]{7} SEARCH)/m.test(text.slice(0, 2_000)))
  );
}

/** The line that stands between two places of a file that a patch changes, in both texts. */
export const GAP = '⋯';

/** The changes of a patch, a file each: those of Codex, of `diff`, and blocks of texts to be searched and replaced. */
function editsOfPatch(patch: string, path: string): DeedEdit[] {
  const blocks = [...patch.matchAll(/^[-<]{7} SEARCH.*\n([\s\S]*?)^={7}\n([\s\S]*?)^[+>]{7} REPLACE/gm)];
  if (blocks.length > 0)
    return blocks
      .slice(0, MAX_EDITS)
      .map(([, before = '', after = '']) => ({ path, before: withoutEnd(before), after: withoutEnd(after) }));
  const edits: { path: string; before: string[]; after: string[]; file?: DeedEdit['file'] }[] = [];
  let last: (typeof edits)[number] | undefined;
  let isHead = false;
  const begin = (name: string, file?: 'added' | 'deleted') => {
    last = { path: name, before: [], after: [], ...(file && { file }) };
    if (edits.length < MAX_EDITS) edits.push(last);
  };
  const lines = patch.split('\n');
  let old = '';
  for (const [at, line] of lines.entries()) {
    if (line.trimEnd() === '*** End Patch') break;
    const [, verb, named] = /^\*\*\* (Add File|Update File|Delete File|Move to): (.+)$/.exec(line) ?? [];
    if (verb === 'Move to' && last && named !== undefined) last.file = { movedTo: named.trim() };
    else if (verb !== undefined && named !== undefined) begin(named.trim(), FILES[verb]);
    else if (line.startsWith('diff --git ')) isHead = true;
    else if (line.startsWith('--- ') && (isHead || lines[at + 1]?.startsWith('+++ ') === true)) {
      old = fileOfHead(line, 'a/');
      isHead = true;
    } else if (line.startsWith('+++ ') && isHead) {
      const now = fileOfHead(line, 'b/');
      if (now === '/dev/null') begin(old, 'deleted');
      else begin(now, old === '/dev/null' ? 'added' : undefined);
      isHead = false;
    } else if (!last || isHead || /^(?:\*\*\* |\\ No newline)/.test(line)) continue;
    else if (line.startsWith('@@')) {
      if (last.before.length + last.after.length > 0)
        for (const side of [last.before, last.after]) side.push(GAP);
    } else if (line.startsWith('-')) last.before.push(line.slice(1));
    else if (line.startsWith('+')) last.after.push(line.slice(1));
    else for (const side of [last.before, last.after]) side.push(line.slice(1));
  }
  return edits.map(({ path: of, before, after, file }) => ({
    path: of,
    before: withoutEnd(before.join('\n')),
    after: withoutEnd(after.join('\n')),
    ...(file !== undefined && { file }),
  }));
}

/** The file that a line of the head of a diff names. */
function fileOfHead(line: string, side: 'a/' | 'b/'): string {
  const name = line.slice(4).replace(/\t.*$/, '').trim();
  return name.startsWith(side) ? name.slice(2) : name;
}

/** What lines of a patch that name a file do with it as a whole. */
const FILES: Readonly<Record<string, 'added' | 'deleted'>> = {
  'Add File': 'added',
  'Delete File': 'deleted',
};

function withoutEnd(text: string): string {
  return text.endsWith('\n') ? text.slice(0, -1) : text;
}

/** Whether a text begins like an object of JSON. */
export function isObjectText(text: string): boolean {
  return text.trimStart().startsWith('{');
}
