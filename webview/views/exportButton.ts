import { t } from '../../src/core/l10n.js';
import { button } from '../controls.js';
import { el } from '../dom.js';
import { icon } from '../icons.js';
import { LatePart } from '../latePart.js';
import type { PageActions } from '../pageActions.js';
import type { State } from '../state.js';

/** The button that offers all ways to export, which are loaded when they are first wanted. */
export function exportButton(actions: PageActions, stateOf: () => State): HTMLElement {
  const anchor = button(
    { class: 'export', title: t`Export (X)`, id: 'export' },
    icon('export'),
    el('span', { class: 'button-words' }, t`Export`),
  );
  anchor.setAttribute('aria-haspopup', 'dialog');
  anchor.setAttribute('aria-expanded', 'false');
  const menu = new LatePart(async () => {
    const { exportMenu } = await import('./exportMenu.js');
    anchor.removeEventListener('click', open);
    return exportMenu(anchor, actions, stateOf);
  });
  const open = (): void => {
    menu.get().then((popover) => {
      if (!popover.isOpen) popover.open();
    }, actions.tellFailure);
  };
  anchor.addEventListener('click', open);
  return anchor;
}
