import { LOADED } from '../src/page/protocol/pageMessages.js';

/** VS Code's API for a webview's page: messages to its host, and a state that survives hiding. */
export interface HostApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): HostApi;

/** Connects the page to its host, which is told when the page's files are loaded; may be called only once per page. */
export function connectToHost(): HostApi {
  const api = acquireVsCodeApi();
  // Always after this: a document that VS Code writes into a frame is called complete before it is.
  window.addEventListener('load', () => api.postMessage(LOADED), { once: true });
  return api;
}
