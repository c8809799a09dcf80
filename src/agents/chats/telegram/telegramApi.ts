import type { Api } from 'grammy';
import { onAbort, type AbortSource } from '../../../core/abort.js';
import { isObject } from '../../../core/message.js';
import { PostError } from '../../../core/ports/chatConnector.js';
import { wasNeverSent, wordsOf } from '../networkFailure.js';

/** What grammY passes to its `fetch`; its signal is a polyfill that the platform's fetch does not accept. */
interface GrammyRequest {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly signal?: AbortSource;
}

/** How long a request may take beyond the long-polling time, in seconds. */
const MAX_EXTRA_SECONDS = 20;

/** A client of Telegram's Bot API whose requests are aborted by `signal`; grammY is loaded here and not before. */
export async function connectApi(
  token: string,
  apiRoot: string,
  waitSeconds: number,
  signal: AbortSignal,
): Promise<Api> {
  const { Api } = await import('./grammyPackage.js');
  return new Api(token, {
    apiRoot: apiRoot.replace(/\/+$/, ''),
    timeoutSeconds: waitSeconds + MAX_EXTRA_SECONDS,
    fetch: (url: string, request: GrammyRequest) => fetchAnswer(url, request, signal),
  });
}

/**
 * Uses the platform's fetch, which respects the editor's proxy settings. A response that is not Telegram's, such as the
 * page of a proxy, becomes one saying that the service is unavailable. Follows no redirect: the URL contains the token.
 */
async function fetchAnswer(url: string, request: GrammyRequest, stopped: AbortSignal): Promise<Response> {
  const { method = 'POST', headers = {}, body = null, signal } = request;
  const given = new AbortController();
  const leave = onAbort(signal, () => given.abort());
  try {
    const ended = AbortSignal.any([stopped, given.signal]);
    // On a kept-alive connection that the server has closed, a lost request could not be told from one that arrived.
    const fresh = { ...headers, connection: 'close' };
    const response = await fetch(url, { method, headers: fresh, body, signal: ended, redirect: 'manual' });
    const text = await response.text();
    if (isAnswer(text)) return new Response(text);
    const description = `not an answer of Telegram (status ${response.status})`;
    return Response.json({ ok: false, error_code: 502, description });
  } finally {
    leave();
  }
}

function isAnswer(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && typeof value.ok === 'boolean';
  } catch {
    return false; // Not JSON, so not Telegram's.
  }
}

/** A failed request. `code` is the platform's; absent where it did not answer. */
export interface TelegramFailure {
  readonly code?: number;
  readonly words: string;
  readonly retryAfterMs?: number;
  readonly neverSent: boolean;
}

/** Describes an error of a grammY request. */
export function failureOf(error: unknown): TelegramFailure {
  if (error instanceof Error && 'error_code' in error && typeof error.error_code === 'number') {
    const parameters = 'parameters' in error && isObject(error.parameters) ? error.parameters : {};
    const seconds = parameters.retry_after;
    return {
      code: error.error_code,
      words: 'description' in error ? String(error.description) : error.message,
      ...(typeof seconds === 'number' && seconds >= 0 && { retryAfterMs: seconds * 1000 }),
      neverSent: false,
    };
  }
  return { words: wordsOf(error), neverSent: wasNeverSent(error) };
}

/** A failed request as a `PostError`, which says whether the text may be posted again. */
export function postErrorOf({ code, words, retryAfterMs, neverSent }: TelegramFailure): PostError {
  if (code === undefined) return new PostError(neverSent ? 'later' : 'unknown', words);
  // 401 is a revoked token: the answer waits for the next one.
  const later = code === 429 || code === 401 || code === 409 || code >= 500;
  return new PostError(later ? 'later' : 'refused', words, retryAfterMs);
}
