/** More reasons are counted only. */
const MOST = 4;

/**
 * The sentence by which a person is told why a command asks even where everything is approved; undefined where there
 * is no reason. Each reason is told once, whoever has found it.
 */
export function whyAsked(found: readonly (string | undefined)[]): string | undefined {
  const reasons = [...new Set(found.filter((one) => one !== undefined).map((one) => one.replace(/\.$/, '')))];
  if (reasons.length === 0) return undefined;
  const more = reasons.length > MOST ? `; and ${reasons.length - MOST} more` : '';
  return `This always asks: ${reasons.slice(0, MOST).join('; ')}${more}.`;
}
