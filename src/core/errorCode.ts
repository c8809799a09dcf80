/** The code of an error of Node, of a library or of our own (`ENOENT`, …); '' for any other value. */
export function errorCode(error: unknown): string {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : '';
  return typeof code === 'string' ? code : '';
}
