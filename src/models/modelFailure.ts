import { preview } from '../core/text.js';
import type { ModelFailure } from '../ports/model.js';
import { failureCode } from './failureCode.js';
import { parsedBody, readProviderError } from './providerError.js';
import { retryAfter, retryAfterInWords, type HeadersOfAnswer } from './retryAfter.js';

/** How much of a provider's message is kept, in code points. */
const WORDS = 2_000;

/** The failure for an HTTP status and the text of its body. */
export function statusFailure(
  status: number,
  body: string,
  headers: HeadersOfAnswer | undefined,
  now: number,
): ModelFailure {
  const { message, kind, retryAfterMs } = readProviderError(parsedBody(body));
  const isRedirect = status >= 300 && status < 400;
  const words = isRedirect
    ? `it redirects to ${headers?.get('location') ?? 'elsewhere'}, which is not followed`
    : preview(message, WORDS);
  const wait = retryAfter(headers, now) ?? retryAfterMs ?? retryAfterInWords(words);
  const code = failureCode({ status, kind, message: words, asksToWait: wait !== undefined });
  return {
    code,
    status,
    message: preview(`The endpoint answered ${status}${words === '' ? '' : `: ${words}`}`, WORDS),
    retryable: isRetryable(status, code, headers?.get('x-should-retry')),
    ...(wait !== undefined && { retryAfterMs: wait }),
  };
}

/** The failure for an error within a stream. */
export function embeddedFailure(error: unknown): ModelFailure {
  const { message, kind, status, retryAfterMs } = readProviderError(error);
  const words = preview(message, WORDS);
  const wait = retryAfterMs ?? retryAfterInWords(words);
  const code = failureCode({ status: status ?? 0, kind, message: words, asksToWait: wait !== undefined });
  const final = /invalid|permission|not_found|authentication|unsupported/.test(kind);
  return {
    code: code === 'http' ? 'provider' : code,
    message: preview(
      `The endpoint failed while it answered: ${words || kind || 'it does not say why'}`,
      WORDS,
    ),
    retryable: status === undefined ? !final && !lasting.has(code) : isRetryable(status, code),
    ...(status !== undefined && { status }),
    ...(wait !== undefined && { retryAfterMs: wait }),
  };
}

/** Failures that a retry cannot fix. */
const lasting = new Set(['contextLength', 'quota', 'auth', 'notFound', 'contentFilter']);

/** `advice` is the endpoint's own opinion in a header (OpenAI). */
function isRetryable(status: number, code: string, advice?: string | null): boolean {
  if (lasting.has(code)) return false;
  if (advice === 'true' || advice === 'false') return advice === 'true';
  return status === 408 || status === 409 || status === 425 || status === 429 || status >= 500;
}
