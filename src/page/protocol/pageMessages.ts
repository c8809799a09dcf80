import { isObject } from '../../core/message.js';

// What a page and its webview say besides requests, answers and events. The start of the extension has it, and so not what checks those.

/** What a page sends once its files are loaded. */
export const LOADED = { kind: 'loaded' };

/** What a page is sent that is to begin again with what its host shows now. */
export const BEGIN_AGAIN = { kind: 'beginAgain' };

/** Whether a message is `BEGIN_AGAIN`. */
export function isBeginAgain(message: unknown): boolean {
  return isObject(message) && message.kind === BEGIN_AGAIN.kind;
}

/** Whether a message says that a page's files are loaded. */
export function isLoaded(message: unknown): boolean {
  return isObject(message) && message.kind === LOADED.kind;
}
