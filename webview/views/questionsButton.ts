import { t } from '../../src/core/l10n.js';
import { button } from '../controls.js';
import { icon } from '../icons.js';
import { latePopover } from './latePopover.js';
import type { QuestionsMenuOptions } from './questionsMenu.js';

/** The button of the menu of questions, and how a key opens the same menu. */
export interface QuestionsButton {
  readonly element: HTMLElement;
  open(): void;
}

/** The button that offers the questions that were saved and asked before, which are loaded when first wanted. */
export function questionsButton(
  options: QuestionsMenuOptions,
  tellFailure: (error: unknown) => void,
): QuestionsButton {
  const element = button(
    {
      appearance: 'icon',
      title: t`Saved questions`,
      attributes: { 'aria-label': t`Saved questions` },
    },
    icon('bookmark'),
  );
  const load = async () => (await import('./questionsMenu.js')).questionsMenu(element, options);
  return { element, ...latePopover(element, load, tellFailure) };
}
