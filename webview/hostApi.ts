/** VS Code's API for a webview's page: messages to its host, and a state that survives hiding. */
export interface HostApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): HostApi;

/** Connects the page to its host; may be called only once per page. */
export function connectToHost(): HostApi {
  return acquireVsCodeApi();
}
