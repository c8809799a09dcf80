import type { UntypedMessage } from '../../query/numbers/transcriptItem.js';

/** The value if it is a text, else ''. */
export const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The value if it is a finite number. */
export const numberIn = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;

/** Whether a text has halves of characters, which no protobuf can hold. */
export const hasHalves = (text: string): boolean => /\p{Surrogate}/u.test(text);

/** The code and the words of a failure, as far as it has any. */
export function failureOf({ code, message }: UntypedMessage): {
  readonly code?: string;
  readonly message?: string;
} {
  return {
    ...(typeof code === 'string' && { code }),
    ...(typeof message === 'string' && { message }),
  };
}

/** Why a request failed, in words. */
export function failureWords(failure: UntypedMessage): string {
  return failureOf(failure).message ?? failureOf(failure).code ?? 'It failed.';
}
