import { LatePart } from '../latePart.js';
import type { Popover } from './popover.js';

/**
 * Gives a button a popover that is loaded when it is first wanted, and that opens and closes with its button from
 * then on. `load` makes it for the button; what fails is told by `tellFailure`, and may be tried again.
 */
export function latePopover(
  anchor: HTMLElement,
  load: () => Promise<Popover>,
  tellFailure: (error: unknown) => void,
): { open(): void } {
  anchor.setAttribute('aria-haspopup', 'dialog');
  anchor.setAttribute('aria-expanded', 'false');
  const part = new LatePart(async () => {
    const popover = await load();
    anchor.removeEventListener('click', open);
    return popover;
  });
  const open = (): void => {
    part.get().then((popover) => {
      if (!popover.isOpen) popover.open();
    }, tellFailure);
  };
  anchor.addEventListener('click', open);
  return { open };
}
