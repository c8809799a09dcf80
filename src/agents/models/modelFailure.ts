import { preview } from '../../core/text.js';
import type { ModelFailure } from '../../core/ports/model.js';
import { parsedBody, readProviderError } from './providerError.js';

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

/** The headers of a response, as far as they are needed here. */
type HeadersOfAnswer = Pick<Headers, 'get'>;

const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };

/** A duration in a message, like `1m30.5s` or `12 seconds`. */
const TIME = String.raw`(?:\d+(?:\.\d+)?\s?(?:ms|milliseconds?|hours?|h|minutes?|mins?|m|seconds?|secs?|s)\b\s?|\d+(?:\.\d+)?[hms](?=\d))+`;
const IN_WORDS = new RegExp(String.raw`\b(?:try again|retry)(?: (?:in|after))? (${TIME})`, 'i');

/** How long a response's headers ask to wait, in milliseconds; they may give milliseconds, seconds or a date. */
function retryAfter(headers: HeadersOfAnswer | undefined, now: number): number | undefined {
  const exact = Number(headers?.get('retry-after-ms') ?? NaN);
  if (Number.isFinite(exact) && exact >= 0) return exact;
  const text = headers?.get('retry-after')?.trim();
  if (!text) return undefined;
  const seconds = Number(text);
  if (Number.isFinite(seconds)) return seconds >= 0 ? Math.round(seconds * 1000) : undefined;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** How long the message of a refusal asks to wait, in milliseconds: `Please try again in 7.66s.` */
function retryAfterInWords(message: string): number | undefined {
  const time = IN_WORDS.exec(message)?.[1];
  if (time === undefined) return undefined;
  let sum = 0;
  for (const [, count = '', unit = ''] of time.matchAll(/(\d+(?:\.\d+)?)\s?(ms|mil|[hms])/gi)) {
    sum += Number(count) * (UNITS[unit === 'mil' ? 'ms' : unit.toLowerCase()] ?? 0);
  }
  return Math.round(sum);
}

/** A provider's refusal. */
interface Refusal {
  /** The HTTP status, or the one in an error within a stream; 0 where there is none. */
  readonly status: number;
  /** Its codes and types, in lower case. */
  readonly kind: string;
  readonly message: string;
  /** Whether it says how long to wait. */
  readonly asksToWait: boolean;
}

/** How providers and local servers say that a request exceeds the model's context window. */
const tooLong = new RegExp(
  [
    'context[_ ](?:length|window|size|limit)',
    'maximum (?:context|model length|prompt length|number of tokens)',
    'max(?:imum)? (?:input|sequence) length',
    'prompt is too long',
    'input is too long',
    'prompt exceeds max length',
    'exceeded model token limit',
    'token count[^.]* exceeds',
    'range of input length',
    'reduce the length of the (?:messages|prompt|input)',
    'max_(?:completion_)?tokens must be at least 1, got -',
    '(?:inputs?|tokens)`? must (?:be <=|have less than)',
  ].join('|'),
);

/** A single request above the account's tokens per minute: waiting does not make it smaller. */
const tooLargeForRate = /request too large|tokens must be reduced/;

const usedUp = new RegExp(
  'insufficient_quota|exceeded_current_quota|quota_?exceeded|insufficient (?:balance|credits?|funds)|' +
    'credit balance|billing|out of credits|available credits|spending limit|arrearage',
);

const withheld =
  /content[_ ](?:filter|policy)|content management policy|data_inspection_failed|moderation|flagged/;

const badKey =
  /(?:invalid|incorrect)[_ ](?:x-)?api[_ -]key|api[_ ]key[_ ](?:not valid|invalid)|authentication_error/;

/** The code for a provider's refusal, by its status and message; a plain HTTP failure is `http`. */
function failureCode({ status, kind, message, asksToWait }: Refusal): string {
  // URLs in the message are ignored: many rate-limit refusals link to a page about billing.
  const said = `${kind} ${message.toLowerCase().replace(/https?:\S+/g, '')}`;
  const isRate = status === 429 || /rate[_ ]limit|resource_exhausted/.test(said);
  if (tooLargeForRate.test(said) || (!isRate && (tooLong.test(said) || said.includes('too many tokens')))) {
    return 'contextLength';
  }
  const isForAWhile = isRate && asksToWait && !/insufficient_quota|per_?day/.test(kind);
  if (status === 402 || (usedUp.test(said) && !isForAWhile) || /per_?day/.test(kind)) return 'quota';
  if (withheld.test(said)) return 'contentFilter';
  if (status === 401 || status === 403 || badKey.test(said)) return 'auth';
  if (status === 404 || kind.includes('model_not_found')) return 'notFound';
  // The remedy for a request that is too large is the same as for one that is too long: a shorter history.
  if (status === 413) return 'contextLength';
  if (isRate) return 'rateLimit';
  return status >= 300 && status < 400 ? 'redirect' : 'http';
}
