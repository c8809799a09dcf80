/** What can be focused in a row: its buttons, and what can be scrolled. */
const CONTROLS = 'button, vscode-button, [tabindex]';

/** The controls in an element, in tab order. */
export function controlsIn(element: ParentNode): HTMLElement[] {
  return [...element.querySelectorAll<HTMLElement>(CONTROLS)];
}

/** Includes the controls in an element in the tab order, or excludes them. */
export function setReachable(element: ParentNode, reachable: boolean): void {
  for (const control of controlsIn(element)) control.tabIndex = reachable ? 0 : -1;
}
