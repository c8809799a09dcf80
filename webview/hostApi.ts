/** What VS Code gives a webview's page to talk to its host and to survive being hidden. */
export interface HostApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): HostApi;

/** The page's one connection to its host; may be called once per page. */
export function connectToHost(): HostApi {
  return acquireVsCodeApi();
}
