import { isObject } from '../core/message.js';
import { preview } from '../core/text.js';
import type { ModelFailure } from '../ports/model.js';

/** How much of a provider's words is kept, in code points. */
const WORDS = 2_000;

/** What a provider's error says, as far as it says it. */
interface ProviderError {
  readonly message: string;
  /** Its code and type, in lower case, for telling kinds apart. */
  readonly kind: string;
  readonly status: number | undefined;
}

/** The failure that an HTTP status and the text of its body mean. */
export function statusFailure(
  status: number,
  body: string,
  headers: Pick<Headers, 'get'> | undefined,
  now: number,
): ModelFailure {
  const { message, kind } = read(parsedBody(body));
  const isRedirect = status >= 300 && status < 400;
  const words = isRedirect
    ? `it redirects to ${headers?.get('location') ?? 'elsewhere'}, which is not followed`
    : message;
  const code = codeOf(status, `${kind} ${message}`);
  const wait = retryAfter(headers, now);
  return {
    code,
    status,
    message: preview(`The endpoint answered ${status}${words === '' ? '' : `: ${words}`}`, WORDS),
    retryable: isRetryable(status, code),
    ...(wait !== undefined && { retryAfterMs: wait }),
  };
}

/** The failure that an error inside of a stream means. */
export function embeddedFailure(error: unknown): ModelFailure {
  const { message, kind, status } = read(error);
  const code = status === undefined ? codeOf(0, `${kind} ${message}`) : codeOf(status, `${kind} ${message}`);
  const final = /invalid|permission|not_found|authentication|unsupported/.test(kind);
  return {
    code: code === 'http' ? 'provider' : code,
    message: preview(
      `The endpoint failed while it answered: ${message || kind || 'it does not say why'}`,
      WORDS,
    ),
    retryable: status === undefined ? !final && !lasting.has(code) : isRetryable(status, code),
    ...(status !== undefined && { status }),
  };
}

/** Failures that asking again does not mend. */
const lasting = new Set(['contextLength', 'quota', 'auth', 'notFound', 'contentFilter']);

function isRetryable(status: number, code: string): boolean {
  if (lasting.has(code)) return false;
  return status === 408 || status === 409 || status === 425 || status === 429 || status >= 500;
}

function codeOf(status: number, words: string): string {
  const said = words.toLowerCase();
  if (
    /context[_ ]length|context[_ ](?:window|size)|maximum context|too many tokens|prompt is too long/.test(
      said,
    )
  ) {
    return 'contextLength';
  }
  if (/insufficient_quota|billing|credit balance/.test(said) || status === 402) return 'quota';
  if (/content_filter|content_policy/.test(said)) return 'contentFilter';
  if (status === 401 || status === 403) return 'auth';
  if (status === 404) return 'notFound';
  if (status === 429 || said.includes('rate_limit')) return 'rateLimit';
  // A shorter history is what can be done about a request that is too large, as for one that is too long.
  if (status === 413) return 'contextLength';
  return status >= 300 && status < 400 ? 'redirect' : 'http';
}

function read(error: unknown): ProviderError {
  if (typeof error === 'string') return { message: error, kind: '', status: undefined };
  if (!isObject(error)) return { message: '', kind: '', status: undefined };
  if (typeof error.error === 'string') return { message: error.error, kind: '', status: undefined };
  const { message, detail, code, type } = isObject(error.error) ? error.error : error;
  const status = typeof code === 'number' && code >= 400 && code < 600 ? code : undefined;
  const words = [message, detail].find((one) => typeof one === 'string');
  return {
    message: words ?? (detail === undefined ? '' : JSON.stringify(detail)),
    kind: [code, type]
      .filter((one) => typeof one === 'string')
      .join(' ')
      .toLowerCase(),
    status,
  };
}

/** How long the answer asks to wait, in milliseconds: in milliseconds, in seconds or until a date. */
function retryAfter(headers: Pick<Headers, 'get'> | undefined, now: number): number | undefined {
  const exact = Number(headers?.get('retry-after-ms') ?? NaN);
  if (Number.isFinite(exact) && exact >= 0) return exact;
  const text = headers?.get('retry-after')?.trim();
  if (!text) return undefined;
  const seconds = Number(text);
  if (Number.isFinite(seconds)) return seconds >= 0 ? Math.round(seconds * 1000) : undefined;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** The value of a JSON text; other text as it is. */
export function parsedBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Proxies answer in plain text or HTML, which are words too.
    return text;
  }
}
