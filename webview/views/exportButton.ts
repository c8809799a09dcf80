import { t } from '../../src/core/l10n.js';
import { button } from '../controls.js';
import { el } from '../dom.js';
import { icon } from '../icons.js';
import type { PageActions } from '../pageActions.js';
import type { State } from '../state.js';
import { latePopover } from './latePopover.js';

/** The button that offers all ways to export, which are loaded when they are first wanted. */
export function exportButton(actions: PageActions, stateOf: () => State): HTMLElement {
  const anchor = button(
    { class: 'export', title: t`Export (X)`, id: 'export' },
    icon('export'),
    el('span', { class: 'button-words' }, t`Export`),
  );
  const load = async () => (await import('./exportMenu.js')).exportMenu(anchor, actions, stateOf);
  latePopover(anchor, load, actions.tellFailure);
  return anchor;
}
