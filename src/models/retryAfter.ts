/** The headers of a response, as far as they are needed here. */
export type HeadersOfAnswer = Pick<Headers, 'get'>;

const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };

/** A duration in a message, like `1m30.5s` or `12 seconds`. */
const TIME = String.raw`(?:\d+(?:\.\d+)?\s?(?:ms|milliseconds?|hours?|h|minutes?|mins?|m|seconds?|secs?|s)\b\s?|\d+(?:\.\d+)?[hms](?=\d))+`;
const IN_WORDS = new RegExp(String.raw`\b(?:try again|retry)(?: (?:in|after))? (${TIME})`, 'i');

/** How long a response's headers ask to wait, in milliseconds; they may give milliseconds, seconds or a date. */
export function retryAfter(headers: HeadersOfAnswer | undefined, now: number): number | undefined {
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
export function retryAfterInWords(message: string): number | undefined {
  const time = IN_WORDS.exec(message)?.[1];
  if (time === undefined) return undefined;
  let sum = 0;
  for (const [, count = '', unit = ''] of time.matchAll(/(\d+(?:\.\d+)?)\s?(ms|mil|[hms])/gi)) {
    sum += Number(count) * (UNITS[unit === 'mil' ? 'ms' : unit.toLowerCase()] ?? 0);
  }
  return Math.round(sum);
}
