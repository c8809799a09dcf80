import { t } from '../../src/core/l10n.js';
import type { DiffLine } from '../../src/page/protocol/row.js';
import { append, el } from '../dom.js';
import { plainText } from './plainText.js';

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

/** The lines of a diff in colours, with the words that differ within them. */
export function diffLines(lines: readonly DiffLine[]): HTMLElement {
  const text = el('pre', { class: 'plain' });
  for (const [at, line] of lines.entries()) {
    if (at > 0) text.append('\n');
    append(text, lineNodes(line));
  }
  return text;
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
