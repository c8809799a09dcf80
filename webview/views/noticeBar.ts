import { t } from '../../src/core/l10n.js';
import { button, iconButton } from '../controls.js';
import { el, fill } from '../dom.js';
import { icon } from '../icons.js';
import type { PageActions } from '../rows/pageActions.js';
import type { Notice, State } from '../state.js';

/** How long a notice is shown, unless it is a failure, in milliseconds. */
const SHOWN_MS = 4_000;
/** The same where what was done can be undone there. */
const UNDO_MS = 10_000;

/** One sentence at the top of the page: what was done, or why it was not. */
export class NoticeBar {
  readonly element = el('div', { class: 'notice', role: 'status', hidden: true });
  readonly #actions: PageActions;
  #shown: Notice | undefined;
  #timer: number | undefined;

  constructor(actions: PageActions) {
    this.#actions = actions;
  }

  update({ notice }: State): void {
    if (notice === this.#shown) return;
    this.#shown = notice;
    window.clearTimeout(this.#timer);
    this.element.hidden = notice === undefined;
    this.element.className = `notice notice-${notice?.level ?? 'info'}`;
    this.element.setAttribute('role', notice?.level === 'error' ? 'alert' : 'status');
    const close = iconButton('close', t`Close this notice`, this.#actions.dismissNotice);
    fill(
      this.element,
      notice && [
        icon(notice.level === 'error' ? 'error' : 'info'),
        el('span', {}, notice.text),
        notice.undoes && button({ class: 'notice-undo', on: { click: this.#actions.undoNote } }, t`Undo`),
        close,
      ],
    );
    const shownMs = notice?.undoes ? UNDO_MS : SHOWN_MS;
    if (notice?.level === 'info') this.#timer = window.setTimeout(this.#actions.dismissNotice, shownMs);
  }
}
