import { controlsIn } from './controls.js';

/**
 * Notes where in a list's rows the keyboard's focus is. What it gives is called when the rows were drawn anew, and puts
 * the focus back: into the same row where that was made again, onto the list where the row went out of sight.
 */
export function heldFocus(list: HTMLElement): () => void {
  const held = document.activeElement;
  if (!(held instanceof HTMLElement) || !list.contains(held)) return () => undefined;
  const row = held.closest<HTMLElement>('.row');
  if (!row) return () => undefined;
  const position = controlsIn(row).indexOf(held);
  return () => {
    if (list.contains(document.activeElement)) return;
    const now = list.querySelector<HTMLElement>(`.row[data-row="${row.dataset.row ?? ''}"]`);
    const control = now ? controlsIn(now)[position] : undefined;
    const isSame = control?.className === held.className;
    (isSame ? control : (now ?? list)).focus({ preventScroll: true });
  };
}
