/** A provider's refusal. */
export interface Refusal {
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
export function failureCode({ status, kind, message, asksToWait }: Refusal): string {
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
