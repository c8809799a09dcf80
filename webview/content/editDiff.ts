import { isObject } from '../../src/core/message.js';
import { el } from '../dom.js';
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

/** How many lines of context are shown around a change. */
const AROUND = 2;

/** The change that arguments describe as a diff, and the remaining arguments; undefined where they describe none. */
export function editDiff(args: object): { readonly diff: HTMLElement; readonly rest: object } | undefined {
  const values = new Map<string, unknown>(Object.entries(args));
  const texts = patchIn(values) ?? editsIn(values)?.map(wordsFor);
  if (!texts || texts.length === 0) return undefined;
  const diff = el(
    'div',
    { class: 'diffs' },
    texts.map((text) => el('pre', { class: 'plain' }, diffText(text))),
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

/** The lines removed and added between the first and the last difference, with context. */
function wordsFor({ before, after }: Edit): string {
  const old = before === '' ? [] : before.split('\n');
  const now = after === '' ? [] : after.split('\n');
  const most = Math.min(old.length, now.length);
  let head = 0;
  while (head < most && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < most - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
  return [
    ...old.slice(Math.max(0, head - AROUND), head).map((line) => ` ${line}`),
    ...old.slice(head, old.length - tail).map((line) => `-${line}`),
    ...now.slice(head, now.length - tail).map((line) => `+${line}`),
    ...old
      .slice(old.length - tail)
      .slice(0, AROUND)
      .map((line) => ` ${line}`),
  ].join('\n');
}
