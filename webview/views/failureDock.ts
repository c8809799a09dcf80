import { inLanguage, message, t, type Message } from '../../src/core/l10n.js';
import type { Params } from '../../src/page/protocol/requests.js';
import { button } from '../controls.js';
import { plainText } from '../content/plainText.js';
import { el, fill } from '../dom.js';
import { icon } from '../icons.js';
import type { PageActions } from '../rows/pageActions.js';
import type { State } from '../state.js';

/** What the button of each way says. */
const WAYS: Readonly<Record<Params<'afterFailure'>['way'], Message>> = {
  Retry: message`Retry`,
  'Set API Key…': message`Set API Key…`,
  'Change Model…': message`Change Model…`,
};

/** Why the last run failed, and what can be done about it, below the list. */
export class FailureDock {
  readonly element = el('section', {
    class: 'failure-dock',
    hidden: true,
    attributes: { 'aria-label': t`The run has failed` },
  });
  readonly #actions: PageActions;
  #drawn = '';

  constructor(actions: PageActions) {
    this.#actions = actions;
  }

  update({ live: { failure } }: State): void {
    const drawn = JSON.stringify(failure ?? null);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    this.element.hidden = failure === undefined;
    fill(
      this.element,
      failure &&
        el(
          'div',
          { class: 'failure-line' },
          el(
            'p',
            { class: 'failure-why', role: 'alert' },
            icon('error'),
            el('span', {}, plainText(failure.reason)),
          ),
          el(
            'div',
            { class: 'failure-ways' },
            failure.ways.map((way, at) => this.#way(way, at === 0)),
          ),
        ),
    );
  }

  #way(way: Params<'afterFailure'>['way'], isFirst: boolean): HTMLElement {
    const appearance = isFirst ? 'primary' : 'secondary';
    return button(
      { appearance, on: { click: () => this.#actions.afterFailure({ way }) } },
      inLanguage(WAYS[way]),
    );
  }
}
