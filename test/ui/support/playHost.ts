/** Runs in the page before its own script: what VS Code does for a webview. */
export function playHost(given: {
  bodyClass: string;
  variables: Record<string, string>;
  state: unknown;
}): void {
  const { style } = document.documentElement;
  for (const [name, value] of Object.entries(given.variables)) style.setProperty(name, value);
  document.body.className = given.bodyClass;
  document.body.dataset.vscodeThemeKind = given.bodyClass.split(' ', 1)[0] ?? '';
  let state: unknown = given.state ?? undefined;
  const host = window as unknown as {
    toHost(message: unknown): void;
    keepState(state: unknown): void;
    acquireVsCodeApi(): unknown;
  };
  host.acquireVsCodeApi = () => ({
    postMessage: (message: unknown) => host.toHost(message),
    getState: () => state,
    setState: (next: unknown) => {
      state = next;
      host.keepState(next);
    },
  });
}
