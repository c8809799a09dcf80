import { t } from '../../src/core/l10n.js';
import { isObject } from '../../src/core/message.js';
import { append, el } from '../dom.js';
import { lineDiff, type DiffLine } from './lineDiff.js';
import { plainText } from './plainText.js';

/** A replacement that a tool's arguments ask for. */
interface Edit {
  readonly before: string;
  readonly after: string;
}

/** The names that tools use for the old and the new text. */
const NAMES = [
  ['old_text', 'new_text'],
  ['old_string', 'new_string'],
  ['old_str', 'new_str'],
  ['oldText', 'newText'],
  ['oldString', 'newString'],
] as const;

/** The names that tools use for a patch. */
const PATCHES = ['patch', 'diff', 'input'];

/** The change that arguments describe as a diff, and the remaining arguments; undefined where they describe none. */
export function editDiff(args: object): { readonly diff: HTMLElement; readonly rest: object } | undefined {
  const values = new Map<string, unknown>(Object.entries(args));
  const diffs = patchIn(values)?.map(diffText) ?? editsIn(values)?.map(editText);
  if (!diffs || diffs.length === 0) return undefined;
  const diff = el(
    'div',
    { class: 'diffs' },
    diffs.map((each) => el('pre', { class: 'plain' }, each)),
  );
  return { diff, rest: Object.fromEntries(values) };
}

/** A diff, whose lines start with `-` or `+`, in colours. */
export function diffText(text: string): DocumentFragment {
  const fragment = document.createDocumentFragment();
  for (const [at, line] of text.split('\n').entries()) {
    if (at > 0) fragment.append('\n');
    const look = line.startsWith('-') ? 'removed' : line.startsWith('+') ? 'added' : undefined;
    fragment.append(look === undefined ? plainText(line) : el('span', { class: look }, plainText(line)));
  }
  return fragment;
}

/** An edit as a diff, with the words that differ within its lines. */
function editText({ before, after }: Edit): DocumentFragment {
  const fragment = document.createDocumentFragment();
  for (const [at, line] of lineDiff(before, after).entries()) {
    if (at > 0) fragment.append('\n');
    append(fragment, lineNodes(line));
  }
  return fragment;
}

/** The marks of lines that were taken out, put in, or stay. */
const MARKS = { removed: '-', added: '+', same: ' ' } as const;

function lineNodes(line: DiffLine): Node[] {
  if (line.kind === 'skipped')
    return [el('span', { class: 'skipped' }, t`⋯ ${line.count} lines stay as they are`)];
  const parts = line.parts.map(({ text, changed }) =>
    changed ? el('span', { class: 'changed' }, plainText(text)) : plainText(text),
  );
  const nodes = [document.createTextNode(MARKS[line.kind]), ...parts];
  return line.kind === 'same' ? nodes : [el('span', { class: line.kind }, nodes)];
}

/** Takes the patch out of the arguments. */
function patchIn(values: Map<string, unknown>): string[] | undefined {
  for (const name of PATCHES) {
    const value = values.get(name);
    if (typeof value !== 'string' || !/^(?:\*\*\* Begin Patch|diff --git |--- )/.test(value)) continue;
    values.delete(name);
    return [value];
  }
  return undefined;
}

/** Takes the replacements out of the arguments: one of its own, or a list that holds nothing else. */
function editsIn(values: Map<string, unknown>): Edit[] | undefined {
  const own = namesIn(values);
  if (own) {
    const edit = editOf(values, own);
    for (const name of own) values.delete(name);
    return [edit];
  }
  const list = values.get('edits');
  if (!Array.isArray(list)) return undefined;
  const edits = (list as unknown[]).flatMap((entry) => {
    const given = new Map<string, unknown>(isObject(entry) ? Object.entries(entry) : []);
    const names = namesIn(given);
    return names?.length === given.size ? editOf(given, names) : [];
  });
  if (edits.length < list.length) return undefined;
  values.delete('edits');
  return edits;
}

/** The pair of names by which both texts are given; anything under other names stays visible. */
function namesIn(values: ReadonlyMap<string, unknown>): (typeof NAMES)[number] | undefined {
  return NAMES.find((pair) => pair.every((name) => typeof values.get(name) === 'string'));
}

function editOf(values: ReadonlyMap<string, unknown>, [old, now]: (typeof NAMES)[number]): Edit {
  return { before: String(values.get(old)), after: String(values.get(now)) };
}
