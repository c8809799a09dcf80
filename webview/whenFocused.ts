/**
 * Does what moves the keyboard's focus within the page: at once, or when the person comes back who is elsewhere in the
 * editor, as in the command palette. A page must not take the focus away from what they do there.
 */
export function whenFocused(act: () => void): void {
  if (document.hasFocus()) act();
  else window.addEventListener('focus', act, { once: true });
}
