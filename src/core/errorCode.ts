/** The code of an error of Node, of a library or of our own (`ENOENT`, …), of another realm too; '' for any other value. */
export function errorCode(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}
