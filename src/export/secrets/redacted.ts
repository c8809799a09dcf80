/** What is written where a secret was: what kind it is and, where the whole conversation was looked through, which. */
export function redacted(kind: string, number?: number): string {
  return `[REDACTED:${kind}${number === undefined ? '' : `:${number}`}]`;
}

/** The pattern of what stands in the place of a secret. */
export const REDACTED_SOURCE = '\\[REDACTED:[a-z0-9-]{1,80}(?::\\d{1,9})?\\]';

/** Excludes what stands in the place of a secret: to be put before the pattern of a value. */
export const NEW = `(?!${REDACTED_SOURCE})`;

const WHOLE = new RegExp(`^${REDACTED_SOURCE}$`);
const HERE = new RegExp(REDACTED_SOURCE, 'y');

/** Whether a value stands in the place of a secret. */
export function isRedacted(value: string): boolean {
  return value.startsWith('[') && WHOLE.test(value);
}

/** Whether what stands in the place of a secret begins here. */
export function isRedactedAt(text: string, start: number): boolean {
  HERE.lastIndex = start;
  return HERE.test(text);
}

/** Whether a part of a text lies in what stands in the place of a secret. */
export function isWithinRedacted(text: string, start: number, end: number): boolean {
  const begin = text.lastIndexOf('[REDACTED:', start);
  return begin >= 0 && isRedactedAt(text, begin) && HERE.lastIndex >= end;
}
