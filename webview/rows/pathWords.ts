import { plainText } from '../content/plainText.js';
import { el } from '../dom.js';

/** The folders of the first path in a text, and what follows them. */
const FOLDERS = /^((?:\w+: )?(?:[^\s/\\,]{0,200}[/\\]){1,40})(.+)$/s;

/** Words of which, where there is too little room, the folders of a path are cut before its end is. */
export function pathWords(className: string, words: string): HTMLElement {
  const [, folders, rest] = FOLDERS.exec(words) ?? [];
  if (folders === undefined || rest === undefined) return el('span', { class: className }, plainText(words));
  return el(
    'span',
    { class: `${className} path-words`, title: words },
    el('span', { class: 'path-folders' }, plainText(folders)),
    el('span', { class: 'path-end' }, plainText(rest)),
  );
}
