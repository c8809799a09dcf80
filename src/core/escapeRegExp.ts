/** Escapes a text so that a regular expression, with or without the `u` flag, matches it literally. */
export function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
