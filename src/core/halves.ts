/** A part of a text without the half of a character that a cut left at its end; strict readers of JSON refuse it. */
export function withoutHalfAtEnd(part: string): string {
  return part.replace(/[\ud800-\udbff]$/, '');
}

/** The same, and without the half that a cut left at its beginning. */
export function withoutHalves(part: string): string {
  return withoutHalfAtEnd(part).replace(/^[\udc00-\udfff]/, '');
}
