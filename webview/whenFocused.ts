/**
 * Runs something that moves the focus within the page: at once, or, if the person is elsewhere in the editor, as in the
 * command palette, when they come back. A page must not steal the focus.
 */
export function whenFocused(act: () => void): void {
  if (document.hasFocus()) act();
  else window.addEventListener('focus', act, { once: true });
}
