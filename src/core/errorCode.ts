/** The code of an error of Node, of a library or of our own (`ENOENT`, …); '' for any other value. */
export function errorCode(error: unknown): string {
  const code = rawErrorCode(error);
  return typeof code === 'string' ? code : '';
}

/** The same where a library also uses numbers. Errors of another realm, as of `node:vm`, have a code as well. */
export function rawErrorCode(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
