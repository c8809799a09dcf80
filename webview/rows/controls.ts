/** What in a row takes the keyboard: its buttons, and what can be scrolled. */
const CONTROLS = 'button, vscode-button, [tabindex]';

/** The controls inside of an element, in the order of Tab. */
export function controlsIn(element: ParentNode): HTMLElement[] {
  return [...element.querySelectorAll<HTMLElement>(CONTROLS)];
}

/** Lets Tab stop at the controls inside of an element, or pass them by. */
export function setReachable(element: ParentNode, reachable: boolean): void {
  for (const control of controlsIn(element)) control.tabIndex = reachable ? 0 : -1;
}
