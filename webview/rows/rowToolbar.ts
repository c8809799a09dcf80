import { t } from '../../src/core/l10n.js';
import type { Row } from '../../src/page/protocol/row.js';
import { iconButton } from '../controls.js';
import { el } from '../dom.js';
import { setReachable } from './controls.js';
import type { RowActions } from './rowContext.js';

/** The text of a row that an editor opens: what the row is about. */
export const MAIN_FIELD = { message: 'body', tool: 'result', dispatch: 'result', note: 'detail' } as const;

/** What can be done with the row that the pointer or the selection is on: one set of buttons for the whole list. */
export class RowToolbar {
  readonly element: HTMLElement;
  #row: Row | undefined;
  readonly #context: HTMLElement;

  constructor(actions: RowActions) {
    const act = (
      name:
        | 'hubot'
        | 'bookmark'
        | 'copy'
        | 'markdown'
        | 'go-to-file'
        | 'repo-forked'
        | 'link'
        | 'note'
        | 'references',
      label: string,
      run: (row: Row) => void,
    ) =>
      iconButton(name, label, () => {
        if (this.#row) run(this.#row);
      });
    this.#context = act('references', t`Show among its neighbours`, (row) =>
      actions.showInContext(row.position),
    );
    this.element = el(
      'div',
      { class: 'row-toolbar', role: 'toolbar', attributes: { 'aria-label': t`What to do with this row` } },
      this.#context,
      act('bookmark', t`Bookmark, or take it away (M)`, (row) => actions.bookmark(row)),
      act('note', t`Write a note (N)`, (row) => actions.editNote(row, row.notes?.[0])),
      act('copy', t`Copy the text (C)`, (row) => actions.copyRow(row.id, 'text')),
      act('markdown', t`Copy as Markdown (Shift+C)`, (row) => actions.copyRow(row.id, 'markdown')),
      act('link', t`Copy a link to it (L)`, (row) => actions.copyLink(row.id)),
      act('repo-forked', t`Go on from here`, (row) => actions.goOn(row.position)),
      act('go-to-file', t`Open in an editor (E)`, (row) =>
        actions.openInEditor(row.id, MAIN_FIELD[row.kind]),
      ),
      act('hubot', t`Next by this agent (A)`, (row) => actions.stepTo('agent', 1, false, row.position)),
    );
  }

  /** Moves to a row, or away. */
  attach(element: HTMLElement | undefined, row: Row | undefined, isFiltered: boolean): void {
    this.#row = row;
    this.#context.hidden = !isFiltered;
    if (!element || !row) this.element.remove();
    else if (this.element.parentElement !== element) {
      setReachable(this.element, false);
      element.append(this.element);
    }
  }
}
