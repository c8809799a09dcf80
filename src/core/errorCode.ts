/** The code of an error of Node, of a library or of our own (`ENOENT`, …), of another realm too; '' for any other value. */
export function errorCode(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}

/** By which a program knows what was wrong with what it asked for; docs/library.md says what each means. */
export type LibraryErrorCode =
  | 'UNKNOWN_OPTION'
  | 'UNKNOWN_VALUE'
  | 'WRONG_TYPE'
  | 'GIVEN_TWICE'
  | 'INVALID_PATTERN'
  | 'PATTERN_TOO_SLOW'
  | 'INVALID_TEAM'
  | 'SESSION_CLOSED'
  | 'NOT_A_STORE'
  | 'READ_ONLY'
  | 'UNUSABLE_PRICES'
  | 'MISSING_RANKS'
  | 'NOT_REPLAYABLE';

/** An error of a class with a code that stays the same where its message changes. */
export function codedError<Kind extends Error>(
  kind: new (message: string, options?: ErrorOptions) => Kind,
  message: string,
  code: LibraryErrorCode,
  cause?: unknown,
): Kind & { readonly code: LibraryErrorCode } {
  const error = new kind(message, cause === undefined ? undefined : { cause });
  return Object.assign(error, { code });
}
